// Races between work-groups against all pairs of accesses, on random launches.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "tests/thinning.h"
#include "tests/unit/random.h"
#include "traces/faults/launch_races.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kSites = 5;  ///< load, store, atomic, volatile load, volatile store

KernelInfo kernel_of_sites() {
  KernelInfo kernel;
  kernel.blocks.emplace_back();
  for (std::uint32_t id = 0; id < kSites; ++id) {
    SiteInfo site;
    site.kind = id == 2 ? AccessKind::Atomic : id == 0 || id == 3 ? AccessKind::Load : AccessKind::Store;
    site.is_volatile = id > 2;
    site.width = site.alignment = 4;
    site.point = {BlockId(0), id};
    kernel.sites.push_back(site);
    kernel.blocks[0].sites.emplace_back(id);
  }
  kernel.blocks[0].fences = {kSites};
  return kernel;
}

struct GroupEvent {
  std::uint32_t group = 0, site = 0;
  bool is_fence = false;
  std::uint64_t cell = 0;
  Position at;
};

class RandomLaunch {
 public:
  explicit RandomLaunch(std::uint64_t seed) : random_(seed) {
    const std::uint32_t groups = 2 + below(4), cells = 1 + below(6);
    const bool has_fences = below(3) != 0;
    for (std::uint32_t group = 0; group < groups; ++group) {
      const std::uint32_t items = 1 + below(3), intervals = 1 + below(3);
      std::vector<std::uint32_t> steps(items);
      for (std::uint32_t interval = 0; interval < intervals; ++interval) {
        for (std::uint32_t item = 0; item < items; ++item) {
          for (std::uint32_t count = below(4); count > 0; --count) {
            GroupEvent event{group,
                             below(kSites),
                             has_fences && below(4) == 0,
                             below(cells),
                             {0, interval, item, steps[item]++}};
            events_.push_back(event);
          }
        }
      }
    }
  }

  [[nodiscard]] std::set<std::pair<std::uint32_t, std::uint32_t>> found(const LaunchRaces& races) const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const auto& [pair, example] : races.found()) pairs.emplace(pair.first, pair.second);
    return pairs;
  }

  void give(LaunchRaces& races) const {
    std::uint32_t group = ~0u;
    for (const GroupEvent& event : events_) {
      if (event.group != group) races.begin_group(group = event.group);
      if (event.is_fence)
        races.fence(event.at);
      else
        races.access(event.site, BufferAddr(BufferId(1), 4 * event.cell), event.at);
    }
  }

  /// Pairs of sites that race, where every fence and flag orders what it may.
  [[nodiscard]] std::set<std::pair<std::uint32_t, std::uint32_t>> naive() const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const GroupEvent& a : events_) {
      for (const GroupEvent& b : events_) {
        if (a.is_fence || b.is_fence || a.group >= b.group || a.cell != b.cell || !conflict(a.site, b.site))
          continue;
        if (!learns(a, b) && !learns(b, a)) pairs.emplace(std::min(a.site, b.site), std::max(a.site, b.site));
      }
    }
    return pairs;
  }

  [[nodiscard]] bool has_fences() const {
    return std::any_of(events_.begin(), events_.end(),
                       [](const GroupEvent& event) { return event.is_fence; });
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }
  static bool writes(std::uint32_t site) { return site == 1 || site == 2 || site == 4; }
  static bool is_sync(std::uint32_t site) { return site >= 2; }
  static bool conflict(std::uint32_t a, std::uint32_t b) {
    return (writes(a) || writes(b)) && !(is_sync(a) && is_sync(b));
  }

  /// Whether b's group knows of a: a, a fence, an atomic or volatile store, which an atomic or volatile load sees, then b. If a is
  /// such a store to that address, it may be the store itself, and the fence before it.
  [[nodiscard]] bool learns(const GroupEvent& a, const GroupEvent& b) const {
    for (const GroupEvent& out : events_) {
      if (out.group != a.group || out.is_fence || (out.site != 2 && out.site != 4)) continue;
      const bool of_address = (a.site == 2 || a.site == 4) && out.cell == a.cell;
      if (!is_before(a.at, out.at) && !(of_address && out.at == a.at)) continue;
      const bool fenced = std::any_of(events_.begin(), events_.end(), [&](const GroupEvent& fence) {
        return fence.is_fence && fence.group == a.group && is_before(fence.at, out.at) &&
               (of_address || !is_before(fence.at, a.at));
      });
      if (!fenced) continue;
      for (const GroupEvent& in : events_) {
        if (in.group == b.group && !in.is_fence && (in.site == 2 || in.site == 3) && in.cell == out.cell &&
            is_before(in.at, b.at))
          return true;
      }
    }
    return false;
  }

  testing::Random random_;
  std::vector<GroupEvent> events_;
};

TEST(LaunchRaces, AreAmongAllPairsAndAllOfThemWithoutFences) {
  const KernelInfo kernel = kernel_of_sites();
  const RacePlan plan(kernel, RacePlan::Spaces::All);
  ASSERT_TRUE(plan.has_fences);
  std::size_t found_count = 0, all_count = 0;
  for (std::uint64_t seed = 0; seed < 20000; seed += kCaseStep) {
    const RandomLaunch launch(seed);
    LaunchRaces races(kernel, plan);
    launch.give(races);
    if (races.needs_second_pass()) {
      races.begin_second_pass();
      launch.give(races);
    }
    const auto found = launch.found(races), all = launch.naive();
    for (const auto& pair : found)
      ASSERT_TRUE(all.count(pair)) << "invented: sites " << pair.first << ", " << pair.second << ", seed "
                                   << seed;
    if (!launch.has_fences()) {
      ASSERT_EQ(found, all) << "seed " << seed;
    }
    found_count += found.size();
    all_count += all.size();
  }
  // Of each site only the last two groups are compared.
  EXPECT_GT(static_cast<double>(found_count), 0.99 * static_cast<double>(all_count));
}

}  // namespace
}  // namespace warpscope
