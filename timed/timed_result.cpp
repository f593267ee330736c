#include "timed/timed_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "cachesim/text_report.h"

namespace warpscope::timed {
namespace {

using Json = nlohmann::ordered_json;

KindCounts kind_counts(const OriginCounts& counts) {
  KindCounts kind;
  kind.requests = counts.requests;
  kind.lanes = counts.lanes;
  kind.transactions = counts.transactions;
  kind.hits = counts.hits;
  kind.hits_pending = counts.hits_pending;
  kind.sector_misses = counts.sector_misses;
  kind.misses = counts.misses;
  kind.bypasses = counts.bypasses;
  kind.reservation_fails = counts.reservation_fails;
  return kind;
}

Counts counts_of(const Origin& origin, const OriginCounts& counts) {
  Counts all;
  if (makes_transactions(origin.destination)) {
    all.of(origin.kind) = kind_counts(counts);
    all.evictions = counts.evictions;
    all.write_backs = counts.write_backs;
    all.write_back_sectors = counts.write_back_sectors;
  } else {
    OriginTally tally;
    tally.lanes = counts.lanes;
    tally.outside_requests = counts.outside_requests;
    all.add_tally(origin, tally);
  }
  return all;
}

/// Sums over cores.
struct Sums {
  std::uint64_t instructions = 0, memory_instructions = 0, lookups = 0, l1_cycles = 0, loads = 0,
                load_latency = 0;
  std::uint64_t request_bytes = 0, reply_bytes = 0, warp_cycles = 0, work_groups = 0;
  SchedulerCounts schedulers;

  void add(const CoreCounts& core) {
    instructions += core.instructions;
    memory_instructions += core.memory_instructions;
    lookups += core.lookups;
    l1_cycles += core.l1_cycles;
    loads += core.loads;
    load_latency += core.load_latency;
    request_bytes += core.request_bytes;
    reply_bytes += core.reply_bytes;
    warp_cycles += core.warp_cycles;
    work_groups += core.work_groups;
    for (const SchedulerCounts& scheduler : core.schedulers) {
      schedulers.issue_cycles += scheduler.issue_cycles;
      for (std::size_t r = 0; r < kStallReasons; ++r) schedulers.stalls[r] += scheduler.stalls[r];
    }
  }
};

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json scheduler_json(const SchedulerCounts& counts) {
  Json json = {{"issued", counts.issue_cycles}};
  for (std::size_t r = 0; r < kStallReasons; ++r)
    json[name_of(static_cast<StallReason>(r))] = counts.stalls[r];
  return json;
}

Json sums_json(const Sums& sums, Cycle cycles) {
  return {{"cycles", cycles},
          {"warp_instructions", sums.instructions},
          {"memory_instructions", sums.memory_instructions},
          {"warp_instructions_per_cycle", ratio(sums.instructions, cycles)},
          {"tag_lookups", sums.lookups},
          {"l1_cycles", sums.l1_cycles},
          {"loads", sums.loads},
          {"load_latency_cycles_mean", ratio(sums.load_latency, sums.loads)},
          {"core_to_l2_bytes", sums.request_bytes},
          {"l2_to_core_bytes", sums.reply_bytes},
          {"work_groups", sums.work_groups},
          {"scheduler_cycles", scheduler_json(sums.schedulers)}};
}

Json memory_json(const MemoryCounts& counts, Cycle cycles, std::optional<double> mhz) {
  const std::uint64_t dram = counts.dram_read_bytes + counts.dram_write_bytes;
  return {{"l2_load_hits", counts.l2_load_hits},
          {"l2_load_hits_pending", counts.l2_load_pending},
          {"l2_load_misses", counts.l2_load_misses},
          {"l2_store_hits", counts.l2_store_hits},
          {"l2_store_misses", counts.l2_store_misses},
          {"l2_atomics", counts.l2_atomics},
          {"l2_write_backs", counts.l2_write_backs},
          {"dram_read_bytes", counts.dram_read_bytes},
          {"dram_write_bytes", counts.dram_write_bytes},
          {"dram_bytes_per_cycle", ratio(dram, cycles)},
          {"dram_gb_per_s", mhz ? Json(ratio(dram, cycles) * *mhz / 1000) : Json(nullptr)}};
}

MemoryCounts sum(const MemoryCounts& a, const MemoryCounts& b) {
  return a - (MemoryCounts{} - b);
}

Json launch_json(const LaunchTiming& timing, const TimedContext& context) {
  Sums sums;
  for (const CoreCounts& core : timing.cores) sums.add(core);
  Json json = sums_json(sums, timing.cycles);
  json["warps_per_core_mean"] = ratio(sums.warp_cycles, timing.cycles * timing.cores.size());
  json["memory"] = memory_json(timing.memory, timing.cycles, context.core_clock_mhz);
  Json occupancy = Json::array();
  for (const OccupancyPoint& point : timing.occupancy)
    occupancy.push_back({{"from", point.from}, {"to", point.to}, {"warps_per_core", point.warps_per_core}});
  json["occupancy"] = std::move(occupancy);
  return json;
}

Json total_json(const std::vector<LaunchTiming>& timings, const TimedContext& context) {
  Sums sums;
  MemoryCounts memory;
  Cycle cycles = 0;
  for (const LaunchTiming& timing : timings) {
    for (const CoreCounts& core : timing.cores) sums.add(core);
    memory = sum(memory, timing.memory);
    cycles += timing.cycles;
  }
  Json json = sums_json(sums, cycles);
  json["warps_per_core_mean"] = ratio(sums.warp_cycles, cycles * context.cores);
  json["memory"] = memory_json(memory, cycles, context.core_clock_mhz);
  return json;
}

/// Of one core over all launches.
Json core_json(const std::vector<LaunchTiming>& timings, std::size_t core) {
  Sums sums;
  std::vector<SchedulerCounts> schedulers(timings.front().cores[core].schedulers.size());
  Cycle cycles = 0;
  for (const LaunchTiming& timing : timings) {
    sums.add(timing.cores[core]);
    cycles += timing.cycles;
    for (std::size_t s = 0; s < schedulers.size(); ++s) {
      const SchedulerCounts& counts = timing.cores[core].schedulers[s];
      schedulers[s].issue_cycles += counts.issue_cycles;
      for (std::size_t r = 0; r < kStallReasons; ++r) schedulers[s].stalls[r] += counts.stalls[r];
    }
  }
  Json json = sums_json(sums, cycles);
  json["warps_mean"] = ratio(sums.warp_cycles, cycles);
  json["schedulers"] = Json::array();
  for (const SchedulerCounts& scheduler : schedulers) json["schedulers"].push_back(scheduler_json(scheduler));
  return json;
}

Json config_json(const TimedContext& context) {
  const TimedConfig& config = context.config;
  Json classes = Json::object();
  for (std::size_t c = 0; c < kInstructionClasses; ++c) {
    const InstructionCost& cost = config.issue.costs[c];
    if (cost.unit == Unit::Memory || cost.unit == Unit::None) continue;
    classes[instruction_classes()[c].name] = {
        {"instructions", cost.instructions}, {"latency", cost.latency}, {"interval", cost.interval}};
  }
  Json assumed = Json::array();
  for (const Assumption& one : context.assumed)
    assumed.push_back({{"key", one.key}, {"value", one.value}, {"reason", one.reason}});
  return {{"warp_scheduler", config.issue.policy},
          {"schedulers", config.issue.schedulers},
          {"issue_width", config.issue.issue_width},
          {"active_warps", config.issue.active_warps},
          {"independent", config.issue.independent},
          {"unroll", config.issue.unroll},
          {"l1_units", config.l1.units},
          {"sector_bytes", config.l1.cache.transaction_bytes()},
          {"allocate_on_fill", config.l1.allocate_on_fill},
          {"l1_hit_latency", config.l1.hit_latency},
          {"mshr_entries", config.l1.mshr_entries},
          {"mshr_merges", config.l1.mshr_merges},
          {"l1_stages", config.l1.stages == L1Stages::Wavefronts ? "wavefronts" : "in-order"},
          {"tags_per_cycle", config.l1.tags_per_cycle},
          {"data_bytes_per_cycle", config.l1.data_bytes_per_cycle},
          {"l2_slice_index", config.memory.l2_slice_index},
          {"l2_set_index", config.memory.l2_set_index},
          {"l2_latency", config.memory.l2_latency},
          {"dram_latency", config.memory.dram_latency},
          {"group_start_latency", config.group_start_latency},
          {"assignment", context.assignment},
          {"instruction_classes", std::move(classes)},
          {"assumed", std::move(assumed)}};
}

Json variant_json(const StreamHeader& header, const std::vector<LaunchTiming>& timings) {
  const Counts total = simulation_result(header, timings).total();
  const KindCounts& load = total.of(AccessKind::Load);
  Cycle cycles = 0;
  for (const LaunchTiming& timing : timings) cycles += timing.cycles;
  return {{"cycles", cycles},
          {"load",
           {{"transactions", load.transactions},
            {"hits", load.hits},
            {"hits_pending", load.hits_pending},
            {"sector_misses", load.sector_misses},
            {"misses", load.misses},
            {"reservation_fails", load.reservation_fails}}}};
}

}  // namespace

SimulationResult simulation_result(const StreamHeader& header, const std::vector<LaunchTiming>& timings) {
  SimulationResult result;
  std::vector<std::string> kernels;  // launches of one kernel share their sites
  result.launches.resize(header.launches.size());
  result.l1_kib.resize(header.launches.size());
  for (const LaunchTiming& timing : timings) {
    const auto launch = static_cast<std::size_t>(
        std::find_if(header.launches.begin(), header.launches.end(),
                     [&](const LaunchInfo& info) { return info.id == timing.launch; }) -
        header.launches.begin());
    result.l1_kib[launch] = timing.l1_kib;
    const std::string identity =
        to_json(header.launches[launch].kernel).dump() + header.launches[launch].source;
    auto known = std::find(kernels.begin(), kernels.end(), identity);
    if (known == kernels.end()) {
      kernels.push_back(identity);
      result.kernels.push_back(launch);
      known = kernels.end() - 1;
    }
    const auto kernel = static_cast<std::size_t>(known - kernels.begin());
    for (std::size_t c = 0; c < timing.cores.size(); ++c) {
      const CoreCounts& core = timing.cores[c];
      for (std::size_t o = 0; o < core.origins.size(); ++o) {
        const Counts counts = counts_of(timing.origins[o], core.origins[o]);
        result.launches[launch] += counts;
        result.cores[CoreId(static_cast<std::uint32_t>(c))] += counts;
        result.sites[{{kernel, timing.origins[o].site, timing.origins[o].kind}, timing.origins[o].buffer}] +=
            counts;
      }
    }
  }
  return result;
}

nlohmann::ordered_json timed_json(const TimedContext& context, const StreamHeader& header,
                                  const std::vector<LaunchTiming>& timings,
                                  const std::optional<Effects>& effects) {
  Json json = result_json(context.result, header, simulation_result(header, timings), std::nullopt);
  json["context"]["tool"] = "cachesim timed";
  json["context"]["timed"] = config_json(context);
  json["total"]["timing"] = total_json(timings, context);
  for (const LaunchTiming& timing : timings)
    for (Json& launch : json["launches"])
      if (launch["launch"] == timing.launch.value()) launch["timing"] = launch_json(timing, context);
  for (Json& core : json["cores"]) core["timing"] = core_json(timings, core["core"].get<std::size_t>());
  json["effects"] = nullptr;
  if (effects)
    json["effects"] = {{"as_configured", variant_json(header, timings)},
                       {"without_mshr_limits", variant_json(header, effects->without_mshr_limits)},
                       {"without_latency", variant_json(header, effects->without_latency)}};
  return json;
}

}  // namespace warpscope::timed
