#pragma once
// What a warp access costs the stages of the L1: tag look-ups, passes of the tag stage and of the data stage.
// docs/reference/counters.md defines the counters.
#include <bit>
#include <cstdint>
#include <vector>

#include "cachesim/access/bank_model.h"
#include "cachesim/access/coalescer.h"
#include "cachesim/access/counters.h"

namespace warpscope {

/// Tags per cycle, at most.
constexpr std::uint32_t kMaxTagBanks = 64;

/// The stages of one GPU.
struct StageRules {
  BankRules banks;                   ///< banks of local memory, and of the data stage from Volta on
  std::uint32_t tags_per_cycle = 4;  ///< power of two; from Maxwell on
  std::uint32_t line_bytes = 128;    ///< bytes under one tag, a power of two
  bool operator==(const StageRules&) const = default;
};

/// What a preset says; where it does not, 4 tags per cycle and the banks of bank_rules(). Throws InputError
/// when a value is no power of two.
StageRules stage_rules(const GpuPreset& preset);

/// The bank of the tags that a line belongs to: the XOR of all fields of log2(banks) bits of its number.
/// Fitted here to the passes of the tag stage that te42kyfo/gpu-benches (gpu-strides) measured on an A100: of
/// all pairs of XORs of bits 0 to 8 this one explains them best (mean error 2.2 %). `banks` a power of two.
inline std::uint32_t tag_bank(std::uint64_t line, std::uint32_t banks) {
  if (banks == 4) {
    constexpr std::uint64_t kLowBits = 0x5555555555555555;
    const auto odd = [](std::uint64_t bits) { return static_cast<std::uint32_t>(std::popcount(bits)) & 1; };
    return odd(line & kLowBits) | odd(line & ~kLowBits) << 1;
  }
  const int bits = std::countr_zero(banks);
  std::uint64_t bank = 0;
  for (; bits != 0 && line != 0; line >>= bits) bank ^= line;
  return static_cast<std::uint32_t>(bank & (banks - 1));
}

/// What a pattern of lanes costs, wherever it lies: the part that the place of its lines decides apart.
struct StagePlan {
  struct Request {
    std::uint32_t tags = 0, data_wavefronts = 0;
  };
  StageCounts fixed;
  std::uint32_t bypass_bytes = 0;   ///< 32 for every distinct sector of 32 bytes
  std::vector<Request> requests;    ///< requests with several tags in a banked tag stage
  std::vector<std::int64_t> lines;  ///< their lines, relative to the base's
};

/// What `transactions` look-ups of `bytes` each add to the counts: the bytes, and where the L1 goes line by
/// line everything.
void add_from_transactions(const CoalescingRule& rule, std::uint64_t transactions, std::uint32_t bytes,
                           StageCounts& sum);

/// Room that a tag stage uses again from request to request.
struct StageScratch {
  std::vector<std::uint64_t> lines;
  std::vector<std::uint16_t> degrees;
};

class AccessStages {
 public:
  AccessStages(const StageRules& rules, const CoalescingRule& rule) : rules_(rules), rule_(rule) {}
  [[nodiscard]] const StageRules& rules() const { return rules_; }
  /// Base addresses that differ by a multiple of this have the same plan. At least `line_bytes` of the rules.
  [[nodiscard]] std::uint32_t period() const;
  /// The plan of an access; `base` an address whose line the plan's lines are relative to; `transactions` as
  /// coalesce() gave them.
  void plan(const LaneAccesses& lanes, std::uint64_t base, std::span<const CoalescedLine> transactions,
            StagePlan& out);
  /// Adds the plan for an access at `base`, without what add_from_transactions() adds.
  void add(const StagePlan& plan, std::uint64_t base, StageCounts& sum) const {
    sum += plan.fixed;
    if (!plan.requests.empty()) add_banked(plan, base, sum);
  }
  /// Line by line: what is counted follows from the number of transactions (add_from_transactions).
  [[nodiscard]] bool follows_from_transactions() const { return rule_.tag_stage.line_by_line; }

 private:
  /// Distinct sectors of 32 bytes.
  std::uint64_t sectors_of(const LaneAccesses& lanes, const CoalescingRule& rule);
  void add_four_banks(const StagePlan& plan, std::uint64_t base, StageCounts& sum) const;
  void add_banked(const StagePlan& plan, std::uint64_t base, StageCounts& sum) const;

  StageRules rules_;
  const CoalescingRule& rule_;
  std::vector<std::uint64_t> shifted_;  ///< addresses of one instruction
  StageScratch scratch_;
  std::vector<CoalescedLine> sectors_;
};

}  // namespace warpscope
