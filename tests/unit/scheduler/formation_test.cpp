// Warps that are formed while a work-group runs: the examples of both papers, and laws on random kernels' lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "scheduler/run_launch.h"
#include "scheduler/schedule.h"
#include "tests/unit/scheduler/kernel_builder.h"
#include "traces/base/error.h"

namespace warpscope::testing {
namespace {

using ::testing::ElementsAre;

const AddressOf kWords = [](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
  return BufferAddr(BufferId(1), 65536 * group + 4096 * site.value() + 512 * count + item * 4).key();
};

struct Formed {
  std::vector<Seen> seen;
  FormationCounts counts;
  /// How many accesses each site has.
  [[nodiscard]] std::vector<std::uint32_t> of_sites(std::uint32_t sites) const {
    std::vector<std::uint32_t> found(sites, 0);
    for (const Seen& one : seen) ++found[one.site];
    return found;
  }
};

Formed formed(const WorkGroupSource& source, std::optional<Formation> formation, std::uint32_t warp_size) {
  ScheduleOptions options;
  options.policy = "warp";
  options.warp_size = warp_size;
  options.formation = formation;
  options.formation_counts = std::make_shared<FormationCounts>();
  RecordingSink sink;
  run_launch(source, options, sink);
  EXPECT_TRUE(sink.patterns_hold);
  return {sink.seen, *options.formation_counts};
}

/// One work-group of `items` work-items.
VectorSource one_group(const KernelInfo& kernel, std::uint32_t items,
                       const std::function<Outcomes(std::uint32_t, std::uint32_t)>& outcomes) {
  VectorSource source(kernel, {1, 1, 1}, {items, 1, 1});
  source.add(make_group(kernel, 0, items, outcomes, kWords));
  return source;
}

/// Fung et al. 2007, figures 2 and 5: warps x and y of four lanes; A branches to B and F, B to C and D, which meet in E; E and F meet
/// in G. x: 1110 go to B, of which 1000 to C and 0110 to D; y: 0011, 0010, 0001. (The first lane is the leftmost digit.) Each block
/// has a load.
VectorSource fungs_example() {
  KernelBuilder k;
  const SiteId a = k.load(), b = k.load(), c = k.load(), d = k.load(), e = k.load(), f = k.load(),
               g = k.load();
  k.block({a}, {1, 5});
  k.block({b}, {2, 3});
  k.block({c}, {4});
  k.block({d}, {4});
  k.block({e}, {6});
  k.block({f}, {6});
  k.block({g}, {});
  const std::vector<std::string> ways = {"C", "D", "D", "F", "F", "F", "C", "D"};  // of x and y
  return one_group(k.finish(), 8, [ways](std::uint32_t, std::uint32_t item) {
    return ways[item] == "F" ? Outcomes{1} : ways[item] == "C" ? Outcomes{0, 0} : Outcomes{0, 1};
  });
}

TEST(Formation, StaticWarpsOfFungsExampleExecuteEveryBlockTwice) {
  EXPECT_THAT(formed(fungs_example(), Formation::Static, 4).of_sites(7), ElementsAre(2, 2, 2, 2, 2, 2, 2));
}

// C: 1000 and 0010 fit one warp, D: 0110 and 0001, F: 0001 and 1100. B and E: 1110 and 0011 share a lane.
TEST(Formation, DynamicWarpsOfFungsExampleJoinInTheBlocksCDAndF) {
  const Formed dynamic = formed(fungs_example(), Formation::Dynamic, 4);
  EXPECT_THAT(dynamic.of_sites(7), ElementsAre(2, 2, 1, 1, 2, 1, 2));
  const auto in_c =
      std::find_if(dynamic.seen.begin(), dynamic.seen.end(), [](const Seen& one) { return one.site == 2; });
  ASSERT_NE(in_c, dynamic.seen.end());
  EXPECT_EQ(in_c->mask, 0b0101u) << "lanes 0 of x and 2 of y";
}

// D's three are at E before C's two, and E and F have been left before C is executed: its two come too late to E and to G.
TEST(Formation, TheMajorityMayMissAMeeting) {
  EXPECT_THAT(formed(fungs_example(), Formation::Majority, 4).of_sites(7), ElementsAre(2, 2, 1, 1, 2, 1, 3));
}

/// Narasiman et al. 2011, section 3.1: of the active work-items of a large warp, a column gives each sub-warp one. 16 work-items as
/// four rows of four lanes; those of the mask load.
VectorSource masked(std::uint32_t mask) {
  KernelBuilder k;
  const SiteId taken = k.load(), after = k.load();
  k.block({}, {1, 2});
  k.block({taken}, {2});
  k.block({after}, {});
  return one_group(k.finish(), 16, [mask](std::uint32_t, std::uint32_t item) {
    return Outcomes{(mask >> item & 1) != 0 ? 0u : 1u};
  });
}

TEST(Formation, ALargeWarpTakesAsManyWarpsAsItsFullestLaneHasWorkItems) {
  // rows 1011, 0010, 1000, 0110, the first lane on the right: lane 0: 1, lane 1: 3, lane 2: 1, lane 3: 2
  const std::uint32_t mask = 0b0110'1000'0010'1011;
  EXPECT_THAT(formed(masked(mask), Formation::Static, 4).of_sites(2), ElementsAre(4, 4));
  const Formed large = formed(masked(mask), Formation::Large, 4);
  EXPECT_THAT(large.of_sites(2), ElementsAre(3, 4));
  std::vector<std::uint32_t> sizes;
  for (const Seen& one : large.seen)
    if (one.site == 0) sizes.push_back(static_cast<std::uint32_t>(one.keys.size()));
  EXPECT_THAT(sizes, ElementsAre(4, 2, 1));
  EXPECT_THAT(formed(masked(0x000f), Formation::Large, 4).of_sites(2), ElementsAre(1, 4));
  EXPECT_THAT(formed(masked(0x1111), Formation::Large, 4).of_sites(2), ElementsAre(4, 4))
      << "all in one lane";
}

/// A loop that work-item i makes i % 7 + 1 times, with a barrier behind it.
VectorSource uneven_loop(std::uint32_t items) {
  KernelBuilder k;
  const SiteId body = k.load(), wait = k.barrier(), end = k.store();
  k.block({}, {1});
  k.block({body}, {1, 2});
  k.block({wait, end}, {});
  return one_group(k.finish(), items, [](std::uint32_t, std::uint32_t item) {
    Outcomes outcomes(item % 7, 0);
    outcomes.push_back(1);
    return outcomes;
  });
}

/// Each warp's accesses, in its order.
std::vector<Seen> by_warp(std::vector<Seen> seen) {
  std::stable_sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.warp < b.warp; });
  return seen;
}

TEST(Formation, StaticWarpsMakeTheAccessesOfTheUsualReplay) {
  for (const std::uint32_t items : {8u, 30u, 64u})
    for (const std::uint32_t warp_size : {1u, 4u, 8u, 64u}) {
      const VectorSource source = uneven_loop(items);
      EXPECT_TRUE(by_warp(formed(source, Formation::Static, warp_size).seen) ==
                  by_warp(formed(source, std::nullopt, warp_size).seen))
          << items << " " << warp_size;
    }
}

// Work-items keep their lanes, and each makes what it makes alone, in its order.
TEST(Formation, NoWorkItemLosesOrGainsAnAccess) {
  for (const Formation formation :
       {Formation::Static, Formation::Dynamic, Formation::Majority, Formation::Large}) {
    const Formed found = formed(uneven_loop(30), formation, 4);
    std::map<std::uint64_t, std::uint32_t> count;  // by location
    std::map<std::uint32_t, std::vector<std::uint64_t>> of_item;
    bool stored = false;
    for (const Seen& one : found.seen) {
      std::size_t at = 0;
      EXPECT_TRUE(one.site == 2 || !stored) << "a load behind the barrier";
      stored |= one.site == 2;
      for (std::uint32_t lane = 0; lane < 4; ++lane) {
        if ((one.mask >> lane & 1) == 0) continue;
        const std::uint64_t key = one.keys[at++];
        const auto item = static_cast<std::uint32_t>(BufferAddr(key).key() % 512 / 4);
        EXPECT_EQ(item % 4, lane);
        of_item[item].push_back(key);
        ++count[key];
      }
    }
    EXPECT_EQ(of_item.size(), 30u);
    for (const auto& [item, keys] : of_item) EXPECT_EQ(keys.size(), item % 7 + 2) << item;
    for (const auto& [key, times] : count) EXPECT_EQ(times, 1u);
  }
}

TEST(Formation, CountsWarpInstructionsAndThoseOfWorkItems) {
  // per block with a load: the load and the branch; blocks A to G of 8, 5, 2, 3, 5, 3, 8 work-items
  const FormationCounts of_static = formed(fungs_example(), Formation::Static, 4).counts;
  EXPECT_EQ(of_static.warp_instructions, 2u * 14);
  EXPECT_EQ(of_static.lane_instructions, 2u * (8 + 5 + 2 + 3 + 5 + 3 + 8));
  const FormationCounts dynamic = formed(fungs_example(), Formation::Dynamic, 4).counts;
  EXPECT_EQ(dynamic.warp_instructions, 2u * 11);
  EXPECT_EQ(dynamic.lane_instructions, of_static.lane_instructions);
}

TEST(Formation, IsNotForPoliciesOfSingleWorkItemsAndTheSelfCheck) {
  ScheduleOptions options;
  options.formation = Formation::Large;
  EXPECT_NO_THROW(validate(options));
  options.self_check = true;
  EXPECT_THROW(validate(options), InputError);
  options.self_check = false;
  options.reconvergence = "loops";
  EXPECT_THROW(validate(options), InputError);
  EXPECT_THROW(formation_named("huge"), InputError);
}

}  // namespace
}  // namespace warpscope::testing
