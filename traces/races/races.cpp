#include "traces/races/races.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "traces/races/group_walk.h"

namespace warpscope {
namespace {

/// Positions of at most `most` of `count` work-groups: the first, the last, and others between them.
std::vector<std::size_t> spread_over(std::uint64_t count, std::uint64_t most) {
  const std::uint64_t taken = std::min(count, most);
  std::vector<std::size_t> result;
  for (std::uint64_t i = 0; i < taken; ++i)
    result.push_back(taken == count || taken == 1 ? i : i * (count - 1) / (taken - 1));
  return result;
}

RaceAccess race_access(const SiteInfo& site) {
  return {site.kind, site.locations.empty() ? SourceLocation{} : site.locations.front(), site.function};
}

auto race_key(const RaceAccess& access) {
  const int order = access.kind == AccessKind::Store ? 0 : access.kind == AccessKind::Atomic ? 1 : 2;
  return std::tuple(order, access.at.file, access.at.line, access.at.column, access.function);
}

/// What makes two races one: copies of an access are one, and so are launches of a kernel.
auto race_key(const Race& race) {
  return std::tuple(race.scope, race_key(race.first), race_key(race.second), race.object);
}

using RaceKey = decltype(race_key(std::declval<Race>()));

bool is_cuda_launch(const LaunchInfo& launch, const RacePlan& plan) {
  return plan.meets || launch.source->find("__global__") != std::string::npos;
}

/// Of a work-group: what it does to local memory.
class LocalEvents final : public GroupEvents {
 public:
  /// `is_local[id]`: whether the buffer of this id is local memory.
  LocalEvents(const RacePlan& plan, std::uint32_t warp_size, const std::vector<bool>& is_local)
      : shadow_(plan, warp_size), is_local_(is_local) {}
  void next_interval(bool /*whole_grid*/) override { shadow_.next_interval(); }
  void arrive(std::uint32_t warp, std::uint32_t barrier) override {
    shadow_.group_clock().arrive(warp, barrier);
  }
  void meet_warps(const std::vector<std::uint32_t>& warps, std::uint32_t barrier) override {
    shadow_.group_clock().meet(warps, barrier);
  }
  void begin_warp(std::uint32_t warp, std::uint32_t lanes) override { shadow_.begin_warp(warp, lanes); }
  void meet(LaneMask set) override { shadow_.clock().meet(set); }
  void access(std::uint32_t site, std::uint32_t lane, BufferAddr where) override {
    const std::uint32_t buffer = where.buffer().value();
    if (buffer < is_local_.size() && is_local_[buffer]) shadow_.access(site, lane, where);
  }
  [[nodiscard]] const std::map<RacePair, RaceExample>& found() const { return shadow_.found(); }

 private:
  Shadow shadow_;
  const std::vector<bool>& is_local_;
};

class RaceFinder {
 public:
  RaceFinder(const CaptureReader& capture, const RaceOptions& options)
      : capture_(capture), options_(options) {
    is_local_.push_back(false);
    for (const BufferInfo& buffer : capture.buffers())
      is_local_.push_back(buffer.space == AddressSpace::Local);
  }

  void check(const LaunchInfo& launch) {
    Kernel& kernel = kernel_of(launch);
    if (kernel.plan.sites.empty() || !kernel.can_race) return;
    if (!kernel.plan.not_checked.empty()) return;
    ++report_.all_launches;
    const std::vector<WorkGroupId>& groups = capture_.groups(launch.id);
    if (kernel.launches == options_.launches || steps_ > options_.all_steps) {
      report_.in_part = true;
      return;
    }
    ++kernel.launches;
    ++report_.launches;
    const std::uint64_t before = steps_;
    const std::vector<std::size_t> chosen = spread_over(groups.size(), options_.groups);
    report_.in_part = report_.in_part || chosen.size() < groups.size();
    for (const std::size_t position : chosen) {
      const std::uint64_t used = steps_ - before;
      if (used > options_.steps) break;
      check_group(launch, kernel, groups[position], options_.steps - used);
    }
  }

  RaceReport take() {
    for (const std::string& name : names_) {
      for (auto& [key, race] : by_name_[name])
        (is_common_store(race) ? report_.common_stores : report_.races).push_back(std::move(race));
    }
    return std::move(report_);
  }

 private:
  struct Kernel {
    RacePlan plan;
    bool can_race;
    std::uint64_t launches = 0;  ///< checked
  };

  Kernel& kernel_of(const LaunchInfo& launch) {
    const auto found = kernels_.find(launch.kernel.identity());
    if (found != kernels_.end()) return found->second;
    RacePlan plan(launch.kernel);
    const bool can_race = plan.can_race();
    if (can_race && !plan.not_checked.empty() && not_checked_.insert(launch.kernel->name).second)
      report_.not_checked.push_back({launch.kernel->name, plan.not_checked});
    return kernels_.emplace(launch.kernel.identity(), Kernel{std::move(plan), can_race}).first->second;
  }

  void check_group(const LaunchInfo& launch, const Kernel& kernel, WorkGroupId group, std::uint64_t most) {
    const WorkGroupTrace trace = capture_.read(launch.id, group);
    if (trace.work_items * kernel.plan.sites.size() > kMostCursors) {
      report_.in_part = true;
      return;
    }
    std::uint64_t steps = most;
    const auto found =
        races_in_group(launch.kernel, kernel.plan, trace, is_local_, options_.warp_size, steps);
    steps_ += steps;
    ++report_.groups;
    report_.in_part = report_.in_part || steps > most;
    std::set<const Race*> seen;
    for (const auto& [pair, example] : found) {
      Race& race = place_of(race_of(launch, kernel.plan, group, pair, example));
      if (seen.insert(&race).second) ++race.groups;
    }
  }

  Race race_of(const LaunchInfo& launch, const RacePlan& plan, WorkGroupId group, const RacePair& pair,
               const RaceExample& example) const {
    const SiteInfo& a = launch.kernel->sites[plan.sites[pair.first].id.value()];
    const SiteInfo& b = launch.kernel->sites[plan.sites[pair.second].id.value()];
    Race race;
    race.kernel = launch.kernel->name;
    race.first = race_access(a);
    race.second = race_access(b);
    race.scope = scope_of(a, b, pair.one_warp);
    race.object = capture_.buffers()[pair.buffer.value() - 1].name;
    race.is_cuda = is_cuda_launch(launch, plan);
    race.launch = launch.id;
    race.group = triple_of(group.value(), launch.groups());
    race.first_item = triple_of(example.first.value(), launch.local);
    race.second_item = triple_of(example.second.value(), launch.local);
    race.offset = example.offset;
    if (race_key(race.second) < race_key(race.first)) {
      std::swap(race.first, race.second);
      std::swap(race.first_item, race.second_item);
    }
    return race;
  }

  Race& place_of(const Race& race) {
    const auto [entry, is_new] = by_name_.try_emplace(race.kernel);
    if (is_new) names_.push_back(race.kernel);
    const RaceKey key = race_key(race);
    return entry->second.try_emplace(key, race).first->second;
  }

  static RaceScope scope_of(const SiteInfo& a, const SiteInfo& b, bool one_warp) {
    const auto is_store = [](const SiteInfo& site) { return site.kind == AccessKind::Store; };
    const bool one_access = race_key(race_access(a)) == race_key(race_access(b));
    if (!one_warp || (is_store(a) && one_access)) return RaceScope::WorkGroup;
    const bool in_step =
        (is_store(a) || is_store(b)) && (!is_store(a) || a.is_volatile) && (!is_store(b) || b.is_volatile);
    return in_step ? RaceScope::InStep : RaceScope::Warp;
  }

  static bool is_common_store(const Race& race) {
    return race.first.kind == AccessKind::Store && race_key(race.first) == race_key(race.second);
  }

  const CaptureReader& capture_;
  const RaceOptions options_;
  std::vector<bool> is_local_;  ///< indexed by buffer id
  std::map<const void*, Kernel> kernels_;
  std::map<std::string, std::map<RaceKey, Race>> by_name_;
  std::set<std::string> not_checked_;
  std::vector<std::string> names_;  ///< sorted by first launch
  std::uint64_t steps_ = 0;
  RaceReport report_;
};

}  // namespace

Dim3 triple_of(std::uint64_t number, Dim3 size) {
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

RaceOptions RaceOptions::everything() {
  const auto all = std::numeric_limits<std::uint64_t>::max() / 2;
  return {32, all, all, all, all};
}

const char* name_of(RaceScope scope) {
  if (scope == RaceScope::WorkGroup) return "work-group";
  return scope == RaceScope::Warp ? "warp" : "in-step";
}

std::uint64_t RaceReport::count() const {
  return static_cast<std::uint64_t>(std::count_if(
      races.begin(), races.end(), [](const Race& race) { return race.scope != RaceScope::InStep; }));
}

std::map<RacePair, RaceExample> races_in_group(const KernelInfo& kernel, const RacePlan& plan,
                                               const WorkGroupTrace& trace, const std::vector<bool>& is_local,
                                               std::uint32_t warp_size, std::uint64_t& steps) {
  const std::uint32_t lanes = plan.lanes(warp_size);
  LocalEvents events(plan, lanes, is_local);
  steps = GroupWalk(kernel, plan, trace, lanes, events).run(steps);
  return events.found();
}

RaceReport find_races(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
                      const RaceOptions& options) {
  RaceFinder finder(capture, options);
  for (const LaunchInfo* launch : launches) finder.check(*launch);
  return finder.take();
}

}  // namespace warpscope
