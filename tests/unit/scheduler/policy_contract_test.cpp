// What every policy of registry.def promises, whatever it picks; a new line there is covered by these tests.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scheduler/policies/ready_set.h"
#include "scheduler/policies/registry.h"
#include "scheduler/run_launch.h"
#include "tests/unit/scheduler/kernel_builder.h"
#include "traces/base/random.h"

namespace warpscope::testing {
namespace {

const AddressOf kDistinct = [](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
  return BufferAddr(BufferId(1), ((((group * 64ull + item) * 8) + site.value()) * 64 + count) * 4).key();
};

/// load; do { load; barrier; if (own branch) store } while; store, with 3 iterations for everyone.
KernelInfo mixed_kernel() {
  KernelBuilder k;
  const SiteId a = k.load(), b = k.load(), wait = k.barrier(), c = k.store(), d = k.store();
  k.block({a}, {1});
  k.block({b, wait}, {2, 3});
  k.block({c}, {3});
  k.block({}, {1, 4});
  k.block({d}, {});
  return k.finish();
}

Outcomes mixed_outcomes(std::uint32_t group, std::uint32_t item) {
  Outcomes outcomes;
  for (std::uint32_t i = 0; i < 3; ++i) {
    outcomes.push_back((group + item * i) % 3 == 0 ? 1 : 0);
    outcomes.push_back(i == 2 ? 1 : 0);
  }
  return outcomes;
}

class EveryPolicy : public ::testing::TestWithParam<SchedulerInfo> {
 protected:
  static constexpr std::uint32_t kGroups = 11, kItems = 21;
  EveryPolicy() : kernel_(mixed_kernel()), source_(kernel_, {kGroups, 1, 1}, {kItems, 1, 1}) {
    for (std::uint32_t g = 0; g < kGroups; ++g) {
      source_.add(make_group(kernel_, g, kItems, mixed_outcomes, kDistinct));
    }
    options_.policy = GetParam().name;
    options_.warp_size = 8;
    options_.self_check = true;
  }
  std::vector<Seen> run() {
    RecordingSink sink;
    run_launch(source_, options_, sink);
    EXPECT_TRUE(sink.patterns_hold);
    return sink.seen;
  }
  KernelInfo kernel_;
  VectorSource source_;
  ScheduleOptions options_;
};

// Program order per work-item, every access once, barriers between iterations, residency: in every
// configuration.
TEST_P(EveryPolicy, IsAPermutationThatKeepsProgramOrderAndBarriers) {
  const std::uint32_t width = GetParam().order == VisitOrder::WorkItems ? 1 : 8;
  for (const std::uint32_t cores : {1u, 3u}) {
    for (const std::uint32_t resident : {0u, 1u, 2u}) {
      options_.cores = cores;
      options_.max_work_groups = resident;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>> of_item;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> loads_of_item;  // of site 1
      std::map<std::uint32_t, std::uint32_t> loads_of_group;
      std::map<std::uint32_t, std::uint64_t> left;  // lane accesses of the resident groups
      for (const Seen& one : run()) {
        if (!left.contains(one.group)) {
          for (std::uint32_t i = 0; i < kItems; ++i) {
            for (const auto& a : expand(kernel_, mixed_outcomes(one.group, i), one.group, i, kDistinct)) {
              left[one.group] += has_address(a.kind) ? 1 : 0;
            }
          }
        }
        std::size_t lane_number = 0;
        for (std::uint32_t lane = 0; lane < width; ++lane) {
          if ((one.mask >> lane & 1) == 0) continue;
          const std::pair item{one.group, one.warp * width + lane};
          of_item[item].push_back(one.keys[lane_number++]);
          // The barrier follows load 1 in every iteration: nobody is past it before everybody has made that
          // load.
          if (one.site == 1) ++loads_of_item[item];
          const std::uint32_t passed = loads_of_item[item] - (one.site == 1 ? 1 : 0);
          ASSERT_GE(loads_of_group[one.group], passed * kItems) << "past the barrier too early";
        }
        if (one.site == 1) loads_of_group[one.group] += static_cast<std::uint32_t>(one.keys.size());
        left[one.group] -= lane_number;
        std::uint32_t resident_now = 0;
        for (const auto& [group, accesses] : left)
          resident_now += accesses > 0 && group % cores == one.core ? 1 : 0;
        if (resident != 0) {
          EXPECT_LE(resident_now, resident);
        }
      }
      EXPECT_EQ(of_item.size(), std::size_t{kGroups} * kItems);
      for (const auto& [where, keys] : of_item) {
        std::vector<std::uint64_t> expected;
        for (const auto& a : expand(kernel_, mixed_outcomes(where.first, where.second), where.first,
                                    where.second, kDistinct)) {
          if (has_address(a.kind)) expected.push_back(a.key);
        }
        ASSERT_EQ(keys, expected) << "group " << where.first << ", work-item " << where.second;
      }
    }
  }
}

TEST_P(EveryPolicy, IsTheSameInEveryRun) {
  options_.cores = 2;
  const auto first = run();
  EXPECT_EQ(first, run());
}

// Picks from ready sets that change as on a core, but at random.
TEST_P(EveryPolicy, PicksOnlyReadyWarps) {
  SplitMix64 random(5);
  ReadySet ready(300);
  for (WarpIndex i = 0; i < 300; i += 2) ready.insert(i);
  const auto policy = GetParam().factory(9);
  for (int round = 0; round < 5000; ++round) {
    const WarpIndex picked = policy->pick(ready);
    ASSERT_LT(picked, 300u);
    ASSERT_TRUE(ready.contains(picked));
    const auto index = static_cast<WarpIndex>(random.below(300));
    if (!ready.contains(index)) {
      ready.insert(index);
    } else if (ready.size() > 1) {
      ready.erase(index);
      policy->finished(index);
    }
  }
}

TEST_P(EveryPolicy, HasHelpAndSource) {
  EXPECT_STRNE(GetParam().help, "");
  EXPECT_STRNE(GetParam().source, "");
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPolicy, ::testing::ValuesIn(schedulers().begin(), schedulers().end()),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(ReadySet, EqualsAnOrderedSet) {
  SplitMix64 random(11);
  for (const std::uint32_t size : {1u, 63u, 64u, 65u, 5000u, 300000u}) {
    ReadySet ready(size);
    std::set<WarpIndex> model;
    for (int round = 0; round < 3000; ++round) {
      const auto index = static_cast<WarpIndex>(random.below(size));
      if (model.contains(index)) {
        model.erase(index);
        ready.erase(index);
      } else {
        model.insert(index);
        ready.insert(index);
      }
      ASSERT_EQ(ready.size(), model.size());
      if (model.empty()) continue;
      const auto from = static_cast<WarpIndex>(random.below(size + 2));
      const auto next = model.lower_bound(from);
      ASSERT_EQ(ready.next_from(from), next == model.end() ? *model.begin() : *next) << "from " << from;
      ASSERT_TRUE(model.contains(ready.at(static_cast<std::uint32_t>(random.below(ready.size())))));
    }
  }
}

}  // namespace
}  // namespace warpscope::testing
