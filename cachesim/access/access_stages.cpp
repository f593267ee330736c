#include "cachesim/access/access_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "cachesim/access/tag_stage.h"
#include "traces/base/error.h"

namespace warpscope {

StageRules stage_rules(const GpuPreset& preset) {
  StageRules rules;
  rules.banks = bank_rules(preset);
  rules.tags_per_cycle = preset.l1_tags_per_cycle.value_or(rules.tags_per_cycle);
  if (!std::has_single_bit(rules.tags_per_cycle) || rules.tags_per_cycle > kMaxTagBanks)
    throw InputError(fmt::format("preset {}: l1_tags_per_cycle is {}, expected a power of two up to {}",
                                 preset.name, rules.tags_per_cycle, kMaxTagBanks));
  return rules;
}

std::uint32_t AccessStages::period() const {
  return std::max({rules_.line_bytes, bank_period(rules_.banks), rule_.tag_stage.period});
}

std::uint64_t AccessStages::sectors_of(const LaneAccesses& lanes, const CoalescingRule& rule) {
  sectors_.clear();
  coalesce(lanes, rule, kMemorySectorBytes, sectors_);
  return sectors_.size();
}

void AccessStages::plan(const LaneAccesses& lanes, std::uint64_t base,
                        std::span<const CoalescedLine> transactions, StagePlan& out) {
  out = {};
  if (lanes.address.empty()) return;
  const TagStage& tags = rule_.tag_stage;
  if (!tags.has_tags) {
    for (const CoalescedLine& one : transactions) out.fixed.bytes += one.bytes;
    out.bypass_bytes = static_cast<std::uint32_t>(out.fixed.bytes);
    return;
  }
  out.bypass_bytes = static_cast<std::uint32_t>(sectors_of(lanes, rule_) * kMemorySectorBytes);
  if (tags.plan == nullptr) return;
  const std::uint32_t bytes = instruction_width(lanes.width, lanes.alignment);
  for (std::uint32_t i = 0; i < instruction_count(lanes.width, lanes.alignment); ++i) {
    shifted_.clear();
    for (const std::uint64_t address : lanes.address) shifted_.push_back(address + std::uint64_t{i} * bytes);
    tags.plan({lanes.mask, shifted_, bytes, lanes.warp_size, base, rules_, scratch_}, out);
  }
}

void add_from_transactions(const CoalescingRule& rule, std::uint64_t transactions, std::uint32_t bytes,
                           StageCounts& sum) {
  if (rule.tag_stage.has_tags) sum.bytes += transactions * bytes;
  if (!rule.tag_stage.line_by_line) return;
  sum.tag_lookups += transactions;
  sum.tag_wavefronts += transactions;
  sum.data_wavefronts += transactions;
  sum.wavefronts += transactions;
}

/// The usual case; a byte of a word counts a bank.
void AccessStages::add_four_banks(const StagePlan& plan, std::uint64_t base, StageCounts& sum) const {
  const std::uint64_t base_line = base >> std::countr_zero(rules_.line_bytes);
  const std::int64_t* line = plan.lines.data();
  for (const StagePlan::Request& request : plan.requests) {
    std::uint32_t in_bank = 0;
    for (std::uint32_t i = 0; i < request.tags; ++i, ++line)
      in_bank += 1u << 8 * tag_bank(base_line + static_cast<std::uint64_t>(*line), 4);
    const std::uint32_t most = std::max(std::max(in_bank & 0xff, in_bank >> 8 & 0xff),
                                        std::max(in_bank >> 16 & 0xff, in_bank >> 24));
    sum.tag_wavefronts += most;
    sum.wavefronts += std::max(most, request.data_wavefronts);
  }
}

void AccessStages::add_banked(const StagePlan& plan, std::uint64_t base, StageCounts& sum) const {
  if (rules_.tags_per_cycle == 4) return add_four_banks(plan, base, sum);
  const std::uint64_t base_line = base >> std::countr_zero(rules_.line_bytes);
  std::size_t at = 0;
  for (const StagePlan::Request& request : plan.requests) {
    std::array<std::uint32_t, kMaxTagBanks> in_bank{};
    std::uint32_t most = 0;
    for (std::uint32_t i = 0; i < request.tags; ++i, ++at) {
      const std::uint64_t line = base_line + static_cast<std::uint64_t>(plan.lines[at]);
      most = std::max(most, ++in_bank[tag_bank(line, rules_.tags_per_cycle)]);
    }
    sum.tag_wavefronts += most;
    sum.wavefronts += std::max(most, request.data_wavefronts);
  }
}

}  // namespace warpscope
