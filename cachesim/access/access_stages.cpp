#include "cachesim/access/access_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "traces/base/error.h"

namespace warpscope {
namespace {

/// Lanes whose tags Maxwell and Pascal look up together (forums.developer.nvidia.com/t/pascal-l1-cache/49571,
/// post 14): 8 for up to 4 bytes, 4 for 8, 2 for 16.
std::uint32_t lanes_of_a_part(std::uint32_t bytes) {
  return bytes <= 4 ? 8 : bytes <= 8 ? 4 : 2;
}

std::uint32_t divided_up(std::size_t value, std::uint32_t by) {
  return static_cast<std::uint32_t>((value + by - 1) / by);
}

void add_distinct(std::vector<std::uint64_t>& lines, std::uint64_t line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

}  // namespace

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
  return std::max(rules_.line_bytes, bank_period(rules_.banks));
}

std::uint64_t AccessStages::touched_bytes(const LaneAccesses& lanes) {
  sectors_.clear();
  coalesce(lanes, rule_, kMemorySectorBytes, sectors_);
  return sectors_.size() * kMemorySectorBytes;
}

void AccessStages::plan(const LaneAccesses& lanes, std::uint64_t base,
                        std::span<const CoalescedLine> transactions, StagePlan& out) {
  out = {};
  if (lanes.address.empty()) return;
  if (rule_.tag_stage == TagStage::None) {
    for (const CoalescedLine& one : transactions) out.fixed.bytes += one.bytes;
    out.bypass_bytes = static_cast<std::uint32_t>(out.fixed.bytes);
    return;
  }
  out.bypass_bytes = static_cast<std::uint32_t>(touched_bytes(lanes));
  if (rule_.tag_stage == TagStage::LineByLine) return;
  const std::uint32_t bytes = instruction_width(lanes.width, lanes.alignment);
  for (std::uint32_t i = 0; i < instruction_count(lanes.width, lanes.alignment); ++i)
    plan_request(lanes, base, std::uint64_t{i} * bytes, bytes, out);
}

void AccessStages::plan_request(const LaneAccesses& lanes, std::uint64_t base, std::uint64_t offset,
                                std::uint32_t bytes, StagePlan& out) {
  const int shift = std::countr_zero(rules_.line_bytes);
  const bool parts = rule_.tag_stage == TagStage::LanesApart;
  const std::uint32_t together = parts ? lanes_of_a_part(bytes) : lanes.warp_size;
  const std::uint64_t reach = bytes > 0 ? bytes - 1 : 0;
  lines_.clear();
  std::uint32_t part = 0;
  const auto close_part = [&] {
    if (!parts || lines_.empty()) return;
    out.fixed.tag_lookups += lines_.size();
    out.fixed.tag_wavefronts += divided_up(lines_.size(), rules_.tags_per_cycle);
    out.fixed.wavefronts += divided_up(lines_.size(), rules_.tags_per_cycle);
    lines_.clear();
  };
  LaneMask mask = lanes.mask;
  shifted_.clear();
  for (const std::uint64_t address : lanes.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    if (lane / together != part) close_part();
    part = lane / together;
    const std::uint64_t begin = address + offset;
    shifted_.push_back(begin);
    for (std::uint64_t line = begin >> shift; line <= (begin + reach) >> shift; ++line)
      add_distinct(lines_, line);
  }
  close_part();
  if (parts) return;
  degrees_.clear();
  bank_degrees({lanes.mask, shifted_, bytes, lanes.warp_size}, rules_.banks, degrees_);
  const std::uint32_t data = std::accumulate(degrees_.begin(), degrees_.end(), std::uint32_t{0});
  out.fixed.tag_lookups += lines_.size();
  out.fixed.data_wavefronts += data;
  if (lines_.size() == 1) {
    ++out.fixed.tag_wavefronts;
    out.fixed.wavefronts += std::max(1u, data);
    return;
  }
  out.requests.push_back({static_cast<std::uint32_t>(lines_.size()), data});
  for (const std::uint64_t line : lines_)
    out.lines.push_back(static_cast<std::int64_t>(line) - static_cast<std::int64_t>(base >> shift));
}

void add_from_transactions(const CoalescingRule& rule, std::uint64_t transactions, std::uint32_t bytes,
                           StageCounts& sum) {
  if (rule.tag_stage != TagStage::None) sum.bytes += transactions * bytes;
  if (rule.tag_stage != TagStage::LineByLine) return;
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
