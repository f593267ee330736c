#include "timed/timed_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "cachesim/counters/kernel_names.h"
#include "cachesim/counters/kernel_numbers.h"
#include "cachesim/result/text_report.h"
#include "machine/isa/instruction.h"
#include "scheduler/schedule.h"
#include "timed/issue/issue_policy.h"

namespace warpscope::timed {

/// Of launches or cores.
struct TimedSummary::Sums : TimingCounts {
  SchedulerCounts schedulers;
  std::vector<SchedulerCounts> each_scheduler;  ///< schedulers of one core
  WarpStallCounts warp_stalls{};

  void add(const CoreCounts& core) {
    *this += core;
    warp_stalls += core.warp_stalls;
    each_scheduler.resize(std::max(each_scheduler.size(), core.schedulers.size()));
    for (std::size_t s = 0; s < core.schedulers.size(); ++s) {
      add(schedulers, core.schedulers[s]);
      add(each_scheduler[s], core.schedulers[s]);
    }
  }

  void add(const Sums& other) {
    *this += other;
    warp_stalls += other.warp_stalls;
    add(schedulers, other.schedulers);
  }

  static void add(SchedulerCounts& sum, const SchedulerCounts& scheduler) {
    sum.issue_cycles += scheduler.issue_cycles;
    for (std::size_t r = 0; r < kStallReasons; ++r) sum.stalls[r] += scheduler.stalls[r];
  }
};

namespace {

using Json = nlohmann::ordered_json;

Counts counts_of(const Origin& origin, const OriginCounts& counts, bool is_private) {
  Counts all;
  if (makes_transactions(origin.destination)) {
    static_cast<OutcomeCounts&>(all.of(origin.kind)) = counts;
    static_cast<AccessCounts&>(all.of(origin.kind)) = counts;
    static_cast<LineCounts&>(all) = counts;
    if (is_private && origin.kind != AccessKind::Atomic) all.set_private(origin.kind);
  } else {
    OriginTally tally;
    tally.access = counts;
    tally.outside_requests = counts.outside_requests;
    tally.outside_wavefronts = counts.outside_wavefronts;
    tally.outside_conflicts = counts.outside_conflicts;
    all.add_tally(origin, tally);
  }
  return all;
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json scheduler_json(const SchedulerCounts& counts) {
  Json json = {{"issued", counts.issue_cycles}};
  for (std::size_t r = 0; r < kStallReasons; ++r)
    json[name_of(static_cast<StallReason>(r))] = counts.stalls[r];
  return json;
}

/// Cycles of warps by what they did; null without machine code, where no warp issued as such.
Json warp_stalls_json(const WarpStallCounts& counts) {
  if (counts[static_cast<std::size_t>(WarpStall::Selected)] == 0) return nullptr;
  Json json = Json::object();
  for (std::size_t s = 0; s < counts.size(); ++s) json[name_of(static_cast<WarpStall>(s))] = counts[s];
  return json;
}

/// The instructions at which warps were, with what they did there.
Json stalls_json(const std::vector<WarpStallCounts>& by_instruction) {
  Json all = Json::array();
  for (std::size_t i = 0; i < by_instruction.size(); ++i) {
    Json one = Json::object();
    for (std::size_t s = 0; s < kWarpStalls; ++s)
      if (by_instruction[i][s] != 0) one[name_of(static_cast<WarpStall>(s))] = by_instruction[i][s];
    if (!one.empty())
      all.push_back({{"address", i * machine::kInstructionBytes}, {"warp_stalls", std::move(one)}});
  }
  return all;
}

/// With the quotients that result.json has.
struct Timing : TimingCounts {
  Cycle cycles = 0;
  void put(Json& json) const {
    json["cycles"] = cycles;
#define TIMING_COUNTER(name, key, ...) json[key] = name;
#define TIMING_RATE(key, part, whole) json[key] = ratio(part, whole);
#include "cachesim/access/counters.def"
  }
};

template <class Sums>
Json sums_json(const Sums& sums, Cycle cycles) {
  Json json = Json::object();
  Timing{sums, cycles}.put(json);
  json["scheduler_cycles"] = scheduler_json(sums.schedulers);
  if (Json stalls = warp_stalls_json(sums.warp_stalls); !stalls.is_null())
    json["warp_stalls"] = std::move(stalls);
  return json;
}

Json memory_json(const MemoryCounts& counts, Cycle cycles, std::optional<double> mhz) {
  const std::uint64_t dram = counts.dram_read_bytes + counts.dram_write_bytes;
  Json json = Json::object();
#define MEMORY_COUNTER(name, key, ...) json[key] = counts.name;
#include "cachesim/access/counters.def"
  json["dram_bytes_per_cycle"] = ratio(dram, cycles);
  json["dram_gb_per_s"] = mhz ? Json(ratio(dram, cycles) * *mhz / 1000) : Json(nullptr);
  return json;
}

Json shared_l1_json(const SharedL1Config& config) {
  if (config.size_kib == 0) return nullptr;
  return {{"size_kib", config.size_kib},
          {"ways", config.ways},
          {"cores", config.cores},
          {"bytes_per_cycle", config.bytes_per_cycle},
          {"latency", config.latency}};
}

template <class Sums>
Json launch_json(const LaunchTiming& timing, const Sums& sums, std::optional<double> core_clock_mhz) {
  Json json = sums_json(sums, timing.cycles);
  json["duration_cycles"] = timing.duration;
  json["warps_per_core_mean"] = ratio(sums.warp_cycles, timing.cycles * timing.cores.size());
  json["memory"] = memory_json(timing.memory, timing.cycles, core_clock_mhz);
  Json occupancy = Json::array();
  for (const OccupancyPoint& point : timing.occupancy)
    occupancy.push_back({{"from", point.from}, {"to", point.to}, {"warps_per_core", point.warps_per_core}});
  json["occupancy"] = std::move(occupancy);
  return json;
}

/// Numbers in one text: a line of the file each would be megabytes.
class Row {
 public:
  Row& operator<<(std::uint64_t value) {
    if (!text_.empty()) text_ += ' ';
    text_ += std::to_string(value);
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Json timeline_json(const Timeline& timeline, LaunchId launch) {
  Row stretches, issues, look_ups;
  for (const Timeline::Stretch& one : timeline.stretches())
    stretches << one.warp << one.group << one.from << one.to << static_cast<std::uint64_t>(one.state);
  for (const Timeline::Issue& one : timeline.issues()) issues << one.at << one.warp << (one.memory ? 1 : 0);
  for (const Timeline::LookUps& one : timeline.looked_up()) look_ups << one.at << one.hits << one.others;
  return {{"launch", launch.value()},      {"core", 0},
          {"cycles", timeline.cycles()},   {"states", {"ready", "pause", "memory", "barrier"}},
          {"stretches", stretches.text()}, {"issues", issues.text()},
          {"look_ups", look_ups.text()}};
}

/// "active_warps" of --active-warps.
std::string json_key(const PolicyParameter& parameter) {
  std::string key = parameter.name;
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
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
  Json json = {{"warp_scheduler", config.issue.policy},
               {"schedulers", config.issue.schedulers},
               {"issue_width", config.issue.issue_width}};
  each_issue_parameter([&](const IssuePolicyInfo&, const PolicyParameter& parameter) {
    json[json_key(parameter)] = config.issue.parameters.of(parameter);
  });
  json.update({{"independent", config.issue.independent ? Json(*config.issue.independent) : Json()},
               {"unroll", config.issue.unroll},
               {"predicated", config.issue.predicated},
               {"load_registers", config.issue.load_registers},
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
               {"shared_l1", shared_l1_json(config.memory.shared_l1)},
               {"l2_latency", config.memory.l2_latency},
               {"dram_latency", config.memory.dram_latency},
               {"group_start_latency", config.group_start_latency},
               {"assignment", context.assignment},
               {"ideal", context.ideal.empty() ? Json(nullptr) : Json(context.ideal)},
               {"instruction_classes", std::move(classes)},
               {"assumed", std::move(assumed)}});
  return json;
}

Json variant_json(const TimedSummary& summary) {
  const KindCounts& load = summary.counters().all_launches.of(AccessKind::Load);
  return {{"cycles", summary.cycles()},
          {"load",
           {{"transactions", load.transactions},
            {"hits", load.hits},
            {"hits_pending", load.hits_pending},
            {"sector_misses", load.sector_misses},
            {"misses", load.misses},
            {"reservation_fails", load.reservation_fails}}}};
}

}  // namespace

TimedSummary::TimedSummary(const StreamHeader& header, std::optional<double> core_clock_mhz)
    : launches_(header.launches), core_clock_mhz_(core_clock_mhz) {
  for (const BufferInfo& buffer : header.buffers)
    if (buffer.space == AddressSpace::Private) private_.insert(buffer.id);
  KernelNumbers numbers = number_kernels(launches_);
  counters_.kernels = std::move(numbers.first);
  kernel_of_launch_ = std::move(numbers.of_launch);
  stalls_.resize(counters_.kernels.size());
}

TimedSummary::~TimedSummary() = default;
TimedSummary::TimedSummary(TimedSummary&&) noexcept = default;

void TimedSummary::add(const LaunchTiming& timing) {
  const std::size_t position = launches_.position_of(timing.launch);
  const std::size_t kernel = kernel_of_launch_.at(position);
  LaunchRecord record;
  record.l1_kib = timing.l1_kib;
  Sums sums;
  cores_.resize(std::max(cores_.size(), timing.cores.size()));
  for (std::size_t c = 0; c < timing.cores.size(); ++c) {
    const CoreCounts& core = timing.cores[c];
    sums.add(core);
    cores_[c].add(core);
    for (std::size_t o = 0; o < core.origins.size(); ++o) {
      const Origin& origin = timing.origins[o];
      const Counts counts = counts_of(origin, core.origins[o], private_.contains(origin.buffer));
      record.counts += counts;
      counters_.cores[CoreId(static_cast<std::uint32_t>(c))] += counts;
      counters_.sites[{{kernel, origin.site, origin.kind}, origin.buffer}] += counts;
    }
  }
  if (timing.timeline && (timeline_.is_null() || timing.cycles > timeline_of_)) {
    timeline_ = timeline_json(*timing.timeline, timing.launch);
    timeline_of_ = timing.cycles;
  }
  std::vector<WarpStallCounts>& stalls = stalls_[kernel];
  stalls.resize(std::max(stalls.size(), timing.stalls.size()));
  for (std::size_t i = 0; i < timing.stalls.size(); ++i) stalls[i] += timing.stalls[i];
  cycles_ += timing.cycles;
  duration_ += timing.duration;
  memory_ += timing.memory;
  counters_.all_launches += record.counts;
  record.more = Json{{"timing", launch_json(timing, sums, core_clock_mhz_)}}.dump();
  counters_.launches.add(position, record, timing.l1_kib);
}

nlohmann::ordered_json TimedSummary::total_timing() const {
  Sums all;
  for (const Sums& core : cores_) all.add(core);
  Json json = sums_json(all, cycles_);
  json["duration_cycles"] = duration_;
  json["warps_per_core_mean"] = ratio(all.warp_cycles, cycles_ * cores_.size());
  json["memory"] = memory_json(memory_, cycles_, core_clock_mhz_);
  return json;
}

nlohmann::ordered_json TimedSummary::instruction_stalls() const {
  Json all = Json::array();
  const std::vector<std::string> names = name_kernels(launches_).names;
  for (std::size_t k = 0; k < stalls_.size(); ++k) {
    Json instructions = stalls_json(stalls_[k]);
    if (instructions.empty()) continue;
    all.push_back({{"launch", launches_[counters_.kernels[k]].id.value()},
                   {"kernel", names[k]},
                   {"instructions", std::move(instructions)}});
  }
  return all;
}

nlohmann::ordered_json TimedSummary::core_timing(std::size_t core) const {
  const Sums& sums = cores_.at(core);
  Json json = sums_json(sums, cycles_);
  json["warps_mean"] = ratio(sums.warp_cycles, cycles_);
  json["schedulers"] = Json::array();
  for (const SchedulerCounts& scheduler : sums.each_scheduler)
    json["schedulers"].push_back(scheduler_json(scheduler));
  return json;
}

SimulationResult simulation_result(const StreamHeader& header, const std::vector<LaunchTiming>& timings) {
  TimedSummary summary(header, std::nullopt);
  for (const LaunchTiming& timing : timings) summary.add(timing);
  return summary.counters();
}

ResultJson timed_json(const TimedContext& context, const StreamHeader& header, const TimedSummary& summary,
                      const std::optional<Effects>& effects, bool lists_launches) {
  ResultJson result = make_result(context.result, header, summary.counters(), std::nullopt, lists_launches);
  Json& json = result.json;
  json["context"]["tool"] = "cachesim timed";
  json["context"]["timed"] = config_json(context);
  if (context.waves != 0)
    json["context"]["timed"]["waves"] = {{"waves", context.waves},
                                         {"work_groups", summary.simulated_groups()},
                                         {"of", summary.recorded_groups()}};
  set_total_timing(result, context.result, header, summary.counters().total(), summary.total_timing());
  for (Json& core : json["cores"]) core["timing"] = summary.core_timing(core["core"].get<std::size_t>());
  if (Json stalls = summary.instruction_stalls(); !stalls.empty())
    json["instruction_stalls"] = std::move(stalls);
  if (!summary.timeline().is_null()) json["timeline"] = summary.timeline();
  json["effects"] = nullptr;
  if (effects)
    json["effects"] = {{"as_configured", variant_json(summary)},
                       {"without_mshr_limits", variant_json(effects->without_mshr_limits)},
                       {"without_latency", variant_json(effects->without_latency)}};
  return result;
}

}  // namespace warpscope::timed
