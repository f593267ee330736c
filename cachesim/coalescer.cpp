#include "cachesim/coalescer.h"

#include <array>
#include <bit>

#include "traces/error.h"

namespace warpscope {
namespace {

#define COALESCING(name, lanes, stage, segments, help, source)                                              \
  CoalescingRule{                                                                                           \
      name,                                                                                                 \
      help,                                                                                                 \
      source,                                                                                               \
      TagStage::stage,                                                                                      \
      []([[maybe_unused]] std::uint32_t width, std::uint32_t warp_size) -> std::uint32_t { return lanes; }, \
      segments},
constexpr std::array kRules = {
#include "cachesim/coalescing.def"
};
#undef COALESCING

/// Lines seen in one group of lanes. An open-addressed table that is emptied by counting up its epoch.
class SeenLines {
 public:
  void clear() { ++epoch_; }
  /// True the first time a line is given since clear().
  bool insert(std::uint64_t line) {
    std::size_t slot = (line * 0x9E3779B97F4A7C15ull) >> (64 - kBits);
    while (slots_[slot].epoch == epoch_) {
      if (slots_[slot].line == line) return false;
      slot = (slot + 1) % kSlots;
    }
    slots_[slot] = {line, epoch_};
    return true;
  }

 private:
  static constexpr int kBits = 9;
  static constexpr std::size_t kSlots =
      1u << kBits;  // more than 64 lanes of 16 bytes in lines of 4 bytes can touch
  struct Slot {
    std::uint64_t line, epoch;
  };
  std::array<Slot, kSlots> slots_{};
  std::uint64_t epoch_ = 0;
};

/// One instruction: lane i accesses `bytes` bytes at address[i] + offset.
void coalesce_request(const LaneAccesses& lanes, std::uint64_t offset, std::uint32_t bytes,
                      std::uint32_t together, int line_shift, SeenLines& seen,
                      std::vector<CoalescedLine>& out) {
  bool first = true;
  std::uint32_t group_end = 0;  // first lane of the next group
  std::uint64_t previous = ~std::uint64_t{0};
  LaneMask mask = lanes.mask;
  const std::uint64_t reach = bytes > 0 ? bytes - 1 : 0;
  for (const std::uint64_t start : lanes.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    if (lane >= group_end) {
      group_end = lane / together * together + together;
      previous = ~std::uint64_t{0};
      seen.clear();
    }
    const std::uint64_t last = (start + offset + reach) >> line_shift;
    for (std::uint64_t line = (start + offset) >> line_shift; line <= last; ++line) {
      if (line == previous) continue;
      previous = line;
      if (!seen.insert(line)) continue;
      out.push_back({LineAddr(line), first});
      first = false;
    }
  }
}

/// The same by segments.
class SegmentedRequest {
 public:
  void run(const LaneAccesses& lanes, std::uint64_t offset, std::uint32_t bytes, const CoalescingRule& rule,
           std::uint32_t together, int line_shift, std::vector<CoalescedLine>& out) {
    segments_.clear();
    std::size_t at = 0;
    LaneMask mask = lanes.mask;
    while (at < lanes.address.size()) {
      address_.clear();
      lane_.clear();
      const std::uint32_t group = static_cast<std::uint32_t>(std::countr_zero(mask)) / together;
      for (; at < lanes.address.size(); ++at, mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        if (lane / together != group) break;
        address_.push_back(lanes.address[at] + offset);
        lane_.push_back(lane % together);
      }
      rule.segments({address_, lane_, bytes == 0 ? 4 : bytes}, segments_);  // 0: text streams
    }
    bool first = true;
    for (const CoalescedLine& segment : segments_) {
      const std::uint64_t begin = segment.line.value(), last = begin + segment.bytes - 1;
      for (std::uint64_t line = begin >> line_shift; line <= last >> line_shift; ++line) {
        out.push_back({LineAddr(line), first, std::min(segment.bytes, std::uint32_t{1} << line_shift)});
        first = false;
      }
    }
  }

 private:
  std::vector<std::uint64_t> address_;
  std::vector<std::uint32_t> lane_;
  std::vector<CoalescedLine> segments_;
};

}  // namespace

std::span<const CoalescingRule> coalescing_rules() {
  return kRules;
}

const CoalescingRule& coalescing_rule(const std::string& name) {
  std::string known;
  for (const CoalescingRule& rule : kRules) {
    if (name == rule.name) return rule;
    known += (known.empty() ? "" : ", ") + std::string(rule.name);
  }
  throw InputError("--coalescing: '" + name + "' is not a coalescing rule, expected one of " + known);
}

void coalesce(const LaneAccesses& lanes, const CoalescingRule& rule, std::uint32_t line_bytes,
              std::vector<CoalescedLine>& out) {
  thread_local SeenLines seen;
  const int line_shift = std::countr_zero(line_bytes);
  const std::uint32_t bytes = instruction_width(lanes.width, lanes.alignment);
  const std::uint32_t count = instruction_count(lanes.width, lanes.alignment);
  const std::uint32_t together = std::max(1u, rule.lanes_together(bytes, lanes.warp_size));
  if (rule.segments != nullptr) {
    thread_local SegmentedRequest segmented;
    for (std::uint32_t i = 0; i < count; ++i)
      segmented.run(lanes, std::uint64_t{i} * bytes, bytes, rule, together, line_shift, out);
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i)
    coalesce_request(lanes, std::uint64_t{i} * bytes, bytes, together, line_shift, seen, out);
}

}  // namespace warpscope
