#include "cachesim/access/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "cachesim/access/tag_stage.h"
#include "traces/base/names.h"
#include "traces/base/simd.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostLines = 512;  ///< more than 64 lanes of 16 bytes in lines of 4 bytes can touch
constexpr std::size_t kComparedLanes = 32;

/// Lines seen in one group of lanes: an open-addressed table that is emptied by counting up its epoch.
class SeenLines {
 public:
  void clear() { ++epoch_; }
  /// True the first time a line is given since clear().
  bool insert(std::uint64_t line) {
    std::size_t slot = (line * 0x9E3779B97F4A7C15ull) >> (64 - std::countr_zero(kMostLines));
    while (slots_[slot].epoch == epoch_) {
      if (slots_[slot].line == line) return false;
      slot = (slot + 1) % kMostLines;
    }
    slots_[slot] = {line, epoch_};
    return true;
  }

 private:
  struct Slot {
    std::uint64_t line, epoch;
  };
  std::array<Slot, kMostLines> slots_{};
  std::uint64_t epoch_ = 0;
};

/// One instruction: lane i accesses `bytes` bytes at address[i] + offset.
struct LineRequest {
  const LaneAccesses& lanes;
  std::uint64_t offset;
  std::uint32_t bytes, together;
  int line_shift;

  [[nodiscard]] std::uint64_t first_line(std::uint64_t address) const {
    return (address + offset) >> line_shift;
  }
  [[nodiscard]] std::uint64_t last_line(std::uint64_t address) const {
    return (address + offset + (bytes > 0 ? bytes - 1 : 0)) >> line_shift;
  }
};

void coalesce_any(const LineRequest& request, SeenLines& seen, std::vector<CoalescedLine>& out) {
  bool first = true;
  std::uint32_t group_end = 0;  // first lane of the next group
  std::uint64_t previous = ~std::uint64_t{0};
  LaneMask mask = request.lanes.mask;
  for (const std::uint64_t address : request.lanes.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    if (lane >= group_end) {
      group_end = lane / request.together * request.together + request.together;
      previous = ~std::uint64_t{0};
      seen.clear();
    }
    const std::uint64_t last = request.last_line(address);
    for (std::uint64_t line = request.first_line(address); line <= last; ++line) {
      if (line == previous) continue;
      previous = line;
      if (!seen.insert(line)) continue;
      out.push_back({LineAddr(line), first});
      first = false;
    }
  }
}

/// Bit k: line k is the one asked for. All at once, because scattered lanes are what a branch predictor and a
/// table handle worst: a fifth of a divergent kernel's replay went there.
template <std::size_t kLanes>
std::uint32_t equal_lines(const std::array<std::uint32_t, kComparedLanes>& lines, std::uint32_t line) {
  const simd::Vector wanted = simd::words_of(line);
  std::uint32_t equal = 0;
  for (std::size_t at = 0; at < kLanes; at += 16) equal |= simd::equal_among_16(&lines[at], wanted) << at;
  return equal;
}

/// Appends every line that is none of those before it.
template <std::size_t kLanes>
void append_distinct(const LineRequest& request, const std::array<std::uint32_t, kComparedLanes>& low,
                     std::vector<CoalescedLine>& out) {
  std::array<std::uint64_t, kLanes> lines;
  std::size_t count = 0;
  std::uint32_t before = 0;
  for (const std::uint64_t address : request.lanes.address) {
    const std::uint64_t line = request.first_line(address);
    lines[count] = line;
    count += (equal_lines<kLanes>(low, static_cast<std::uint32_t>(line)) & before) == 0 ? 1 : 0;
    before = before * 2 + 1;
  }
  const std::size_t old = out.size();
  out.resize(old + count);
  for (std::size_t i = 0; i < count; ++i) out[old + i].line = LineAddr(lines[i]);
  out[old].first_of_request = true;
}

/// The usual request: at most 32 lanes, compared all together, no access over two lines, and all lines within
/// 2^32. False, and nothing done, for others.
bool coalesce_usual(const LineRequest& request, std::vector<CoalescedLine>& out) {
  const std::span<const std::uint64_t> address = request.lanes.address;
  if (address.empty() || address.size() > kComparedLanes || request.together < request.lanes.warp_size)
    return false;
  alignas(16) std::array<std::uint32_t, kComparedLanes> low;
  for (std::size_t k = 0; k < kComparedLanes; k += 4)  // four at a time: a call for all takes longer
    simd::store_aligned(&low[k], simd::zero());
  const std::uint64_t base = request.first_line(address[0]);
  std::uint64_t differences = 0;
  for (std::size_t k = 0; k < address.size(); ++k) {
    const std::uint64_t line = request.first_line(address[k]);
    low[k] = static_cast<std::uint32_t>(line);
    differences |= (line ^ base) | (request.last_line(address[k]) ^ line) << 32;
  }
  if (differences >> 32 != 0) return false;
  if (address.size() <= 16) {
    append_distinct<16>(request, low, out);
  } else {
    append_distinct<32>(request, low, out);
  }
  return true;
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

// A line for every file of cachesim/access/rules, written by CMake.
#define COALESCING(suffix) extern const CoalescingRule rule_##suffix;
#include "generated/coalescing_rules.def"
#undef COALESCING

std::span<const CoalescingRule> coalescing_rules() {
  static const auto rules = [] {
    std::array all = {
#define COALESCING(suffix) rule_##suffix,
#include "generated/coalescing_rules.def"
#undef COALESCING
    };
    std::ranges::sort(all, {}, &CoalescingRule::since);
    return all;
  }();
  return rules;
}

std::string current_rule_name(const std::string& name) {
  return name == "root" ? "crawford" : name;
}

const CoalescingRule& coalescing_rule(const std::string& name) {
  if (const CoalescingRule* rule = find_named(coalescing_rules(), current_rule_name(name))) return *rule;
  throw unknown_name("--coalescing: '" + name + "' is not a coalescing rule", names_of(coalescing_rules()));
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
  for (std::uint32_t i = 0; i < count; ++i) {
    const LineRequest request{lanes, std::uint64_t{i} * bytes, bytes, together, line_shift};
    if (!coalesce_usual(request, out)) coalesce_any(request, seen, out);
  }
}

}  // namespace warpscope
