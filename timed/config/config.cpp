#include "timed/config/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "cachesim/access/access_stages.h"
#include "traces/base/error.h"
#include "traces/base/names.h"

namespace warpscope::timed {
namespace {

void expect(bool holds, const char* key, std::uint64_t value, const char* expected) {
  if (!holds) throw InputError(fmt::format("{} is {}, expected {}", key, value, expected));
}

/// A rate or a factor; `value` 0 stands for no limit.
void expect_within(const char* key, double value, double least, double most) {
  if (value != 0 && !(value >= least && value <= most))
    throw InputError(fmt::format("{} is {}, expected {} to {}", key, value, least, most));
}

constexpr bool is_power_of_two(std::uint32_t value) {
  return std::has_single_bit(value);
}

void validate_index(const char* key, const std::string& name, std::uint64_t of, const char* what,
                    std::uint32_t line_bytes) {
  if (name == kSpread) return;
  const SetIndexEntry* const found = find_named(set_indexes(), name);
  if (found == nullptr)
    throw unknown_name(fmt::format("{} {}: unknown function", key, name),
                       fmt::format("{}, {}", kSpread, names_of(set_indexes())));
  if (!found->takes(static_cast<std::uint32_t>(of), line_bytes))
    throw InputError(fmt::format("{} {}: the L2 has {} {}, expected {}", key, name, of, what, found->needs));
}

void validate_memory(const MemoryConfig& memory, std::uint32_t l1_line) {
  expect(memory.l2_line_bytes == l1_line, "l2_line_bytes", memory.l2_line_bytes, "the line size of the L1");
  expect(memory.l2_slices >= 1 && memory.l2_slices <= 4096, "l2_slices", memory.l2_slices, "1 to 4096");
  expect(memory.l2_ways >= 1, "l2_ways", memory.l2_ways, "1 or more");
  expect(memory.l2_size_kib * 1024 >= std::uint64_t{memory.l2_slices} * memory.l2_ways * memory.l2_line_bytes,
         "l2_size_kib", memory.l2_size_kib, "at least one set of lines per slice");
  const std::uint64_t sets =
      memory.l2_size_kib * 1024 / memory.l2_line_bytes / memory.l2_ways / memory.l2_slices;
  validate_index("l2_slice_index", memory.l2_slice_index, memory.l2_slices, "slices", memory.l2_line_bytes);
  validate_index("l2_set_index", memory.l2_set_index, sets, "sets per slice", memory.l2_line_bytes);
  const SharedL1Config& shared = memory.shared_l1;
  expect(shared.cores >= 1 && shared.ways >= 1, "shared_l1_ways", shared.ways, "1 or more");
  expect(shared.size_kib == 0 || shared.size_kib * 1024 >= std::uint64_t{shared.ways} * l1_line,
         "shared_l1_kib", shared.size_kib, "0 or at least one set of lines");
  expect(memory.l2_partitions >= 1 && memory.l2_slices % memory.l2_partitions == 0, "l2_partitions",
         memory.l2_partitions, "a divisor of the number of L2 slices");
  expect(memory.l2_latency == 0 || SliceDistances::most_below(memory.l2_latency_below) < memory.l2_latency,
         "l2_hit_latency_p10_cycles",
         memory.l2_latency - std::min(memory.l2_latency, memory.l2_latency_below),
         "more than a fifth of the median");
  expect(memory.l2_latency_above <= 1'000'000, "l2_hit_latency_p90_cycles",
         std::uint64_t{memory.l2_latency} + memory.l2_latency_above, "at most 1000000 above the median");
  expect(memory.l2_far_latency <= 1'000'000, "l2_far_latency_cycles", memory.l2_far_latency, "0 to 1000000");
  expect_within("l2_requests_per_cycle_per_slice", memory.l2_requests_per_cycle, 1e-3, 1e3);
  expect_within("l2_store_cost", memory.l2_store_cost, 1e-3, 1e3);
  expect(memory.dram_access_bytes <= memory.l2_line_bytes && std::popcount(memory.dram_access_bytes) <= 1,
         "dram_access_bytes", memory.dram_access_bytes, "a power of two up to the line size");
  expect(memory.dram_channels >= 1 && memory.dram_channels <= memory.l2_slices, "dram_channels",
         memory.dram_channels, "1 to the number of L2 slices");
}

}  // namespace

void TimedConfig::remove_mshr_limits() {
  l1.mshr_entries = 0;
  l1.mshr_merges = 0;
  memory.request_queue_cycles = 0;
}

void TimedConfig::remove_memory_latency() {
  remove_mshr_limits();
  l1.hit_latency = l1.local_latency = l1.constant_latency = 0;
  issue.machine.store_latency = issue.machine.constant_latency = 0;
  memory.l2_latency = memory.l2_latency_below = memory.l2_latency_above = 0;
  memory.shared_l1.latency = memory.shared_l1.bytes_per_cycle = 0;
  memory.dram_latency = 0;
  memory.request_bytes_per_cycle = memory.reply_bytes_per_cycle = 0;
  memory.l2_bytes_per_cycle = memory.dram_bytes_per_cycle = 0;
  memory.l2_requests_per_cycle = 0;
  memory.l2_far_latency = 0;
}

void TimedConfig::make_ideal() {
  remove_memory_latency();
  issue.costs = zero_costs();
  issue.machine.issues = false;
  l1.queue_entries = 0;
  l1.lanes_per_cycle = l1.tags_per_cycle = 0;
  l1.data_bytes_per_cycle = 0;
  group_start_latency = warp_start_cycles = 0;
  group_starts_per_cycle = 0;
  launch_cycles = 0;
}

void TimedConfig::make_fixed_order() {
  make_ideal();
  issue.load_registers = 0;
  issue.policy = "lrr";
  issue.schedulers = issue.issue_width = 1;
  issue.interleave_groups = true;
  issue.barriers_take_a_cycle = false;
  l1.allocate_on_fill = false;
  l1.units = 1;
  l1.sectors_apart = true;
}

void validate(const TimedConfig& config) {
  warpscope::validate(config.l1.cache);
  const IssueConfig& issue = config.issue;
  expect(issue.schedulers >= 1 && issue.schedulers <= 16, "schedulers", issue.schedulers, "1 to 16");
  expect(issue.issue_width >= 1 && issue.issue_width <= 8, "issue_width", issue.issue_width, "1 to 8");
  expect(!issue.independent || *issue.independent >= 1, "dependence_distance", issue.independent.value_or(1),
         "1 or more");
  expect(issue.unroll >= 1 && issue.unroll <= 64, "unrolled_iterations", issue.unroll, "1 to 64");
  expect(issue.predicated <= 100, "predicated_instructions", issue.predicated, "0 to 100");
  expect(config.warp_start_cycles <= 10000, "warp_start_cycles", config.warp_start_cycles, "0 to 10000");
  expect(config.l1.units >= 1 && config.l1.units <= kMostLoadStoreUnits, "l1_units_per_core", config.l1.units,
         "1 to 4");
  const std::uint32_t line = config.l1.cache.line_bytes, sector = config.l1.cache.transaction_bytes();
  expect(is_power_of_two(sector) && sector <= line && line / sector <= 8, "sector_bytes", sector,
         "a power of two that cuts the line into 1, 2, 4 or 8");
  const std::uint32_t tags = config.l1.tags_per_cycle;
  const bool any_tags = config.l1.stages == L1Stages::InOrder || tags == 0;
  expect(any_tags || (is_power_of_two(tags) && tags <= kMaxTagBanks), "l1_tags_per_cycle", tags,
         "a power of two up to 64");
  expect_within("work_group_starts_per_cycle", config.group_starts_per_cycle, 1e-6, 1e6);
  validate_memory(config.memory, line);
}

}  // namespace warpscope::timed
