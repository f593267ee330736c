#include "timed/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "cachesim/l1/core_seed.h"
#include "scheduler/cluster_placement.h"
#include "scheduler/run_launch.h"
#include "timed/cluster_dispatcher.h"
#include "timed/occupancy_series.h"
#include "timed/parallel/core_shards.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope::timed {
namespace {

/// Cycles that cores can run on their own as far as the memory goes: nothing that one sends comes back earlier.
Cycle longest_window(const TimedConfig& config) {
  const Cycle least = config.memory.least_latency();
  return least == 0 ? 4096 : least;
}

/// Those that they can in any case: no new work-group comes earlier, either.
Cycle window_of(const TimedConfig& config, bool dynamic) {
  Cycle window = longest_window(config);
  if (dynamic) window = std::min<Cycle>(window, config.group_start_latency);
  return std::max<Cycle>(window, 1);
}

/// Of a launch that executed machine code, if it is to issue as such.
std::optional<MachineProgram> machine_program(const WorkGroupSource& source, const MachineTimes& times) {
  if (!times.issues || source.launch().kernel->machine_code.empty()) return std::nullopt;
  const std::optional<MachineCode> code = source.machine_code();
  if (!code || code->instructions.empty()) return std::nullopt;
  return MachineProgram(*source.launch().kernel, *code, times);
}

/// Of a launch: where it is of machine code, the end of a work-group is that of its stores.
TimedConfig config_of(const TimedConfig& config, bool is_machine) {
  TimedConfig own = config;
  if (is_machine) own.group_start_latency = config.issue.machine.group_start_latency;
  return own;
}

const TimedConfig& checked(const TimedConfig& config) {
  issue_policy_named(config.issue.policy);
  validate(config.issue.parameters);
  validate(config);
  return config;
}

}  // namespace

std::uint32_t slots_of(const LaunchInfo& launch, const TimedConfig& config, std::uint32_t warp_size,
                       std::uint32_t limit, std::uint64_t groups) {
  const std::uint64_t warps = (launch.local.count() + warp_size - 1) / warp_size;
  const std::uint64_t places = std::uint64_t{IssueStage::kPlaces} * config.issue.schedulers;
  if (warps > places)
    throw InputError(
        fmt::format("launch {}: a work-group has {} warps, a core of {} schedulers has places for {}; "
                    "take smaller work-groups",
                    launch.id.value(), warps, config.issue.schedulers, places));
  std::uint64_t slots = std::min(places / warps, std::max<std::uint64_t>(groups, 1));
  if (limit != 0) slots = std::min<std::uint64_t>(slots, limit);
  return static_cast<std::uint32_t>(slots);
}

TimedEngine::TimedEngine(const TimedConfig& config, const StreamHeader& header)
    : config_(checked(config)),
      header_(header),
      memory_(config.memory, config.l1.cache.transaction_bytes()) {}

TimedEngine::~TimedEngine() = default;

/// One launch.
class TimedEngine::Run {
 public:
  Run(TimedEngine& engine, const WorkGroupSource& source, const DispatchOptions& options,
      std::uint32_t threads, WarpAccessSink* tap)
      : engine_(engine),
        source_(source),
        options_(options),
        dynamic_(options.assignment == "dynamic" || options.assignment == "shuffled"),
        plan_(*source.launch().kernel),
        machine_(machine_program(source, engine.config_.issue.machine)),
        config_(config_of(engine.config_, machine_.has_value())),
        window_(window_of(config_, dynamic_)),
        program_(*source.launch().kernel, config_.issue),
        pool_(std::min(threads, options.cores)),
        exchange_(engine.memory_, options.cores, pool_),
        cores_(
            options.cores, engine.lines_,
            static_cast<std::uint32_t>((source.launch().local.count() + options.warp_size - 1) /
                                       options.warp_size),
            plan_.sites,
            [&](std::uint32_t core, CoreShards::Shard& shard) { return make_core(core, shard, tap); },
            exchange_, pool_) {
    timing_.core_of_group.resize(source.groups().size());
    if (dynamic_ && places_clusters(source.launch(), options.gpcs))
      clusters_.emplace(source.launch(), source.groups(), options);
    engine.memory_.tell_dram_apart(machine_.has_value());
  }

  LaunchTiming simulate(const std::function<void(std::uint64_t)>& progress) {
    const Cycle began = engine_.clock_;
    const MemoryCounts before = engine_.memory_.counts();
    place_first(began + launch_start());
    if (options_.host_times) {
      cores_.time_cores();
      exchange_.time_lanes();
    }
    Cycle now = began;
    std::uint64_t finished = 0;
    while (!done()) {
      const Cycle end = window_end(now);
      cores_.advance(end);
      exchange_.serve(end);
      std::uint64_t ended = 0;
      const double rest = host_seconds_of([&] { ended = dispatch(end); });
      if (options_.host_times) options_.host_times(cores_.seconds(), exchange_.seconds(), rest);
      finished += ended;
      sample(now, done() ? end_of(began) : end);
      now = end;
      if (progress) progress(finished);
    }
    Cycle last = began;
    for (std::uint32_t c = 0; c < cores_.size(); ++c) last = std::max(last, cores_[c].finished_at());
    exchange_.serve(kNever);
    timing_.memory = engine_.memory_.counts() - before;
    last = std::max(last, began + config_.memory.least_cycles(timing_.memory.dram_read_bytes +
                                                              timing_.memory.dram_write_bytes));
    engine_.clock_ = std::max(end_of(began), last);
    collect(began, last, now);
    return std::move(timing_);
  }

 private:
  /// Cycles for which a core is active at the start of a launch of machine code, before its first instruction.
  [[nodiscard]] Cycle launch_start() const {
    return machine_ ? config_.group_start_latency + config_.issue.machine.cold_cycles : 0;
  }
  [[nodiscard]] bool done() const { return started_ == source_.groups().size() && cores_.idle(); }
  [[nodiscard]] Cycle window_end(Cycle now) const;
  [[nodiscard]] Cycle end_of(Cycle began) const;
  std::unique_ptr<Core> make_core(std::uint32_t core, CoreShards::Shard& shard, WarpAccessSink* tap);
  void place_first(Cycle at);
  void start(std::size_t group, std::uint32_t core, Cycle at);
  void start_clusters(Cycle at);
  Cycle turn_of_next(Cycle at);
  std::uint64_t dispatch(Cycle end);
  void sample(Cycle from, Cycle end);
  void collect(Cycle began, Cycle last, Cycle end);

  TimedEngine& engine_;
  const WorkGroupSource& source_;
  DispatchOptions options_;
  bool dynamic_;
  ReplayPlan plan_;
  std::optional<MachineProgram> machine_;
  TimedConfig config_;
  Cycle window_;
  Program program_;
  TaskPool pool_;
  MemoryExchange exchange_;
  LaunchTiming timing_;  ///< declared before the cores, which write its timeline
  CoreShards cores_;
  std::size_t started_ = 0;  ///< work-groups; without clusters the first ones
  std::optional<ClusterDispatcher> clusters_;
  double next_start_ = 0;  ///< the first cycle in which the GPU can start another work-group
  OccupancySeries occupancy_;
};

std::unique_ptr<Core> TimedEngine::Run::make_core(std::uint32_t core, CoreShards::Shard& shard,
                                                  WarpAccessSink* tap) {
  if (core == 0 && options_.timeline_cycles != 0)
    timing_.timeline.emplace(engine_.clock_, options_.timeline_cycles);
  const CoreSetup setup{source_,
                        {plan_, shard.patterns, reconvergence_named(options_.reconvergence),
                         options_.warp_size, nullptr, false, true},
                        program_,
                        machine_ ? &*machine_ : nullptr,
                        config_,
                        shard.lines,
                        shard.stalls,
                        options_.slots,
                        tap,
                        core == 0 && timing_.timeline ? &*timing_.timeline : nullptr};
  auto made = issue_policy_named(config_.issue.policy).make_core(setup, core);
  made->set_now(engine_.clock_);
  return made;
}

/// `group`: its position in the source's.
void TimedEngine::Run::start(std::size_t group, std::uint32_t core, Cycle at) {
  timing_.core_of_group[group] = CoreId(core);
  cores_[core].give_group(source_.groups()[group], at);
  ++started_;
}

/// As many as find room.
void TimedEngine::Run::start_clusters(Cycle at) {
  for (auto cluster = clusters_->next(); !cluster.empty(); cluster = clusters_->next())
    for (const auto& [group, core] : cluster) start(group, core, turn_of_next(at));
}

/// When the next work-group starts that could at `at`: the GPU starts one after the other.
Cycle TimedEngine::Run::turn_of_next(Cycle at) {
  if (config_.group_starts_per_cycle == 0) return at;
  const double turn = std::max(static_cast<double>(at), next_start_);
  next_start_ = turn + 1 / config_.group_starts_per_cycle;
  return static_cast<Cycle>(turn);
}

/// One work-group per core in order, then the next layer.
void TimedEngine::Run::place_first(Cycle at) {
  if (!dynamic_) {
    auto groups =
        assign_launch(source_.launch(), source_.groups(), {options_.cores, options_.gpcs, options_.slots},
                      options_.assignment, placement_seed(options_.seed, source_.launch().id));
    for (std::uint32_t c = 0; c < options_.cores; ++c) {
      for (const WorkGroupId group : groups[c]) {
        const auto& all = source_.groups();
        const auto found = std::lower_bound(all.begin(), all.end(), group);
        timing_.core_of_group[static_cast<std::size_t>(found - all.begin())] = CoreId(c);
      }
      cores_[c].set_own_groups(std::move(groups[c]), at);
    }
    started_ = source_.groups().size();
    return;
  }
  if (clusters_) return start_clusters(at);
  std::vector<std::uint32_t> order(options_.cores);
  std::iota(order.begin(), order.end(), 0u);
  SplitMix64 random(seed_for(options_.seed, source_.launch().id.value()));
  for (std::uint32_t layer = 0; layer < options_.slots; ++layer) {
    if (options_.assignment == "shuffled") shuffle(order, random);
    for (const std::uint32_t core : order)
      if (started_ < source_.groups().size()) start(started_, core, turn_of_next(at));
  }
}

/// Slots that became free take the next work-groups, first freed first; of one dispatch window core by core. Returns how many
/// work-groups ended.
std::uint64_t TimedEngine::Run::dispatch(Cycle end) {
  struct Free {
    Cycle time;
    std::uint32_t core;
  };
  std::vector<Free> free;
  for (std::uint32_t c = 0; c < options_.cores; ++c) {
    for (const FreedSlot& slot : cores_[c].freed()) free.push_back({slot.time, c});
    cores_[c].freed().clear();
  }
  if (!dynamic_) return free.size();
  const Cycle window = std::max(1u, config_.dispatch_window_cycles);
  std::stable_sort(free.begin(), free.end(), [window](const Free& a, const Free& b) {
    const Cycle first = a.time / window, second = b.time / window;
    return first != second ? first < second : a.core < b.core;
  });
  for (const Free& slot : free) {
    if (started_ == source_.groups().size()) break;
    const Cycle at = slot.time + std::max(1u, config_.group_start_latency);
    if (at < end) throw std::logic_error("a work-group ended before window_end() said that one could");
    if (clusters_) {
      clusters_->release(slot.core);
      start_clusters(at);
    } else {
      start(started_, slot.core, turn_of_next(at));
    }
  }
  return free.size();
}

/// A window may be as long as no work-group ends that makes room for another one on some core: a multiple of the shortest one.
Cycle TimedEngine::Run::window_end(Cycle now) const {
  const Cycle most = longest_window(config_) / window_ * window_;
  if (!dynamic_ || most == window_) return now + window_;
  if (started_ == source_.groups().size()) return now + most;
  Cycle free = now + most;
  for (std::uint32_t c = 0; c < cores_.size() && free > now; ++c) free = cores_[c].earliest_end(free);
  const Cycle length = free + config_.group_start_latency - now;
  return now + std::clamp(length / window_ * window_, window_, most);
}

/// Where the launch leaves the clock: at the end of one of the shortest windows, when all cores are idle.
Cycle TimedEngine::Run::end_of(Cycle began) const {
  Cycle idle = began;
  for (std::uint32_t c = 0; c < cores_.size(); ++c) idle = std::max(idle, cores_[c].idle_at());
  return began + (idle - began + window_ - 1) / window_ * window_;
}

/// Of a window.
void TimedEngine::Run::sample(Cycle from, Cycle end) {
  std::uint64_t instructions = 0;
  occupancy_.begin(from, end, window_);
  for (std::uint32_t c = 0; c < cores_.size(); ++c) {
    instructions += cores_[c].counts().instructions;
    for (const WarpChange& change : cores_[c].warp_changes()) occupancy_.change(change.at, change.more);
    cores_[c].warp_changes().clear();
  }
  occupancy_.end();
  if (options_.most_instructions != 0 && instructions > options_.most_instructions)
    throw InputError(fmt::format("--most-instructions: launch {} issues more, expected a larger number",
                                 source_.launch().id.value()));
}

/// The launch ended at `last`; the rest of the last window, up to `end`, is not the launch's. Where the DRAM takes longer than that, its
/// schedulers were empty.
void TimedEngine::Run::collect(Cycle began, Cycle last, Cycle end) {
  timing_.launch = source_.launch().id;
  timing_.cycles = last - began;
  timing_.duration = timing_.cycles + config_.launch_cycles;
  timing_.slots = options_.slots;
  if (timing_.timeline) timing_.timeline->end(last);
  timing_.cores = cores_.counts(timing_.origins);
  timing_.stalls = cores_.stalls();
  for (CoreCounts& core : timing_.cores)
    if (core.active_cycles != 0) core.active_cycles += launch_start();
  for (CoreCounts& core : timing_.cores)
    for (SchedulerCounts& scheduler : core.schedulers)
      scheduler.stalls[static_cast<std::size_t>(StallReason::Empty)] += last - end;
  Cycle at = 0;
  for (const OccupancySeries::Span& span : occupancy_.spans()) {
    const double warps = static_cast<double>(span.warp_cycles) /
                         (static_cast<double>(span.cycles) * static_cast<double>(options_.cores));
    timing_.occupancy.push_back({at, at + span.cycles, warps});
    at += span.cycles;
  }
}

void TimedEngine::begin_launch(const LaunchInfo& launch, std::uint32_t shards, std::uint32_t lanes) {
  lines_.resize(std::min<std::size_t>(lines_.size(), shards));
  while (lines_.size() < shards) lines_.push_back(std::make_unique<AccessLines>(header_, config_));
  for (const auto& lines : lines_) lines->begin_launch(launch);
  memory_.split(lanes);
  memory_.begin_launch(config_.memory.l2_keeps_content);
}

LaunchTiming TimedEngine::run(const WorkGroupSource& source, const DispatchOptions& options,
                              WarpAccessSink* tap, const std::function<void(std::uint64_t)>& progress) {
  const std::uint32_t threads = tap == nullptr ? options.threads : 1;
  // Lanes are timed one by one.
  const std::uint32_t lanes = options.host_times ? config_.memory.l2_slices : lanes_for(threads);
  begin_launch(source.launch(), shards_of(options.cores, threads), lanes);
  return Run(*this, source, options, threads, tap).simulate(progress);
}

}  // namespace warpscope::timed
