#include "scheduler/run_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "scheduler/cluster_placement.h"
#include "scheduler/core.h"
#include "scheduler/formation/formed_core.h"
#include "scheduler/residency.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

/// Seeds of different launches and cores have nothing to do with each other.
std::uint64_t derived_seed(std::uint64_t seed, LaunchId launch, std::uint32_t purpose) {
  SplitMix64 random(seed);
  const std::uint64_t of_launch = random.next() + launch.value();
  return SplitMix64(SplitMix64(of_launch).next() + purpose).next();
}

void check_options(const ScheduleOptions& options) {
  if (options.warp_size < 1 || options.warp_size > kMaxWarpSize) {
    throw InputError(fmt::format("--warp-size {}: expected 1 to {}", options.warp_size, kMaxWarpSize));
  }
  if (options.cores < 1) throw InputError("--cores 0: expected 1 or more");
  if (options.only_core && options.only_core->value() >= options.cores) {
    throw InputError(
        fmt::format("--core {}: expected all or 0 to {}", options.only_core->value(), options.cores - 1));
  }
  if (!options.sample.empty() && options.sample.back() >= options.cores)
    throw InputError(fmt::format("core {} of {} in the sample, expected a smaller number",
                                 options.sample.back(), options.cores));
}

/// Lanes of machine code part and meet as its own instructions say, which the capture holds.
void check_machine_code(const LaunchInfo& launch, const ScheduleOptions& options) {
  if (launch.kernel->machine_code.empty()) return;
  const char* const option = options.formation                  ? "--formation"
                             : options.reconvergence != "ipdom" ? "--reconvergence"
                                                                : nullptr;
  if (option != nullptr)
    throw InputError(
        fmt::format("{}: launch {} is of machine code, which says itself where its lanes meet; expected a "
                    "capture made without --machine",
                    option, launch.id.value()));
}

/// The cores whose accesses are asked for. Of a sample the threads take turns by place: its numbers may all be even.
std::vector<std::uint32_t> cores_of(const ScheduleOptions& options) {
  std::vector<std::uint32_t> cores;
  const std::size_t count = options.sample.empty() ? options.cores : options.sample.size();
  for (std::uint32_t place = 0; place < count; ++place) {
    const std::uint32_t core = options.sample.empty() ? place : options.sample[place];
    if (options.share.has(CoreId(place)) && (!options.only_core || options.only_core->value() == core))
      cores.push_back(core);
  }
  return cores;
}

std::uint32_t slots_for(std::size_t groups, std::uint32_t limit) {
  const std::size_t slots = limit == 0 ? groups : std::min<std::size_t>(limit, groups);
  return static_cast<std::uint32_t>(slots);
}

/// By block, what the capture counted; a block without a count has its memory instructions and its branch.
std::vector<std::uint32_t> instructions_of(const KernelInfo& kernel) {
  std::vector<std::uint32_t> counts;
  for (const BlockInfo& block : kernel.blocks) {
    std::uint32_t count = 0;
    for (const auto& [name, number] : block.mix) count += number;
    counts.push_back(count != 0 ? count : static_cast<std::uint32_t>(block.sites.size()) + 1);
  }
  return counts;
}

/// run_launch() with options.formation.
class FormedRun {
 public:
  FormedRun(const WorkGroupSource& source, const ScheduleOptions& options, const ReplayPlan& plan)
      : source_(source),
        instructions_(instructions_of(*source.launch().kernel)),
        memory_(static_cast<std::uint32_t>(source.launch().local.count()), plan.sites),
        launch_{plan,
                instructions_,
                memory_,
                *options.formation,
                options.warp_size,
                options.formation_counts ? *options.formation_counts : unused_} {}
  void core(CoreId core, const std::vector<WorkGroupId>& groups, std::uint32_t slots, WarpAccessSink& sink,
            const std::function<void(WorkGroupId)>& finished) {
    run_formed_core(launch_, source_, groups, slots, core, sink, finished);
  }

 private:
  const WorkGroupSource& source_;
  std::vector<std::uint32_t> instructions_;
  PatternMemory memory_;
  FormationCounts unused_;
  FormedLaunch launch_;
};

}  // namespace

std::uint64_t placement_seed(std::uint64_t seed, LaunchId launch) {
  return derived_seed(seed, launch, 0);
}

void run_launch(const WorkGroupSource& source, const ScheduleOptions& options, WarpAccessSink& sink,
                const std::function<void(WorkGroupId)>& group_finished, ReplayObserver* observer) {
  check_options(options);
  const LaunchInfo& launch = source.launch();
  check_machine_code(launch, options);
  const SchedulerInfo& policy = scheduler_named(options.policy);
  const std::uint32_t warp_size = policy.order == VisitOrder::WorkItems ? 1 : options.warp_size;
  const std::uint32_t limit = options.limits
                                  ? resident_work_groups(launch, *options.limits, options.registers)
                                  : options.max_work_groups;
  const ReplayPlan plan(*launch.kernel);
  const auto warps = static_cast<std::uint32_t>((launch.local.count() + warp_size - 1) / warp_size);
  PatternMemory memory(warps, plan.sites);
  std::optional<SelfCheck> self_check;
  if (options.self_check) self_check.emplace(warp_size, plan);
  SelfCheck* const check = self_check ? &*self_check : nullptr;
  const CoreSetup setup{source,
                        {plan, memory, reconvergence_named(options.reconvergence), warp_size,
                         check != nullptr ? check : observer, policy.order != VisitOrder::WorkItems},
                        policy,
                        check,
                        group_finished};

  const Machine machine{options.cores, options.gpcs, slots_for(source.groups().size(), limit)};
  require_room_for_clusters(launch, {options.cores, options.gpcs, limit});
  auto groups_of = assign_launch(launch, source.groups(), machine, options.assignment,
                                 placement_seed(options.seed, launch.id));
  std::optional<FormedRun> formed;
  if (options.formation) formed.emplace(source, options, plan);
  // Core after core: no core sees another, and the paths and addresses of one core's residents fit the host's
  // caches where those of all cores do not.
  for (const std::uint32_t c : cores_of(options)) {
    if (groups_of[c].empty()) continue;
    const std::uint32_t slots = slots_for(groups_of[c].size(), limit);
    if (formed) {
      formed->core(CoreId(c), groups_of[c], slots, sink, group_finished);
      continue;
    }
    Core core(setup, CoreId(c), std::move(groups_of[c]), slots, derived_seed(options.seed, launch.id, c + 1));
    while (core.step(sink)) {
    }
  }
}

}  // namespace warpscope
