#include "traces/program/group_selection.h"

#include <gtest/gtest.h>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr LaunchId kLaunch(0);

std::vector<std::uint32_t> selected(const std::string& text, std::uint32_t groups) {
  const auto selection = GroupSelection::parse(text);
  std::vector<std::uint32_t> result;
  for (std::uint32_t group = 0; group < groups; ++group)
    if (selection.contains(kLaunch, WorkGroupId(group))) result.push_back(group);
  EXPECT_EQ(selection.count(kLaunch, groups), result.size()) << text;
  EXPECT_EQ(selection.text(), text);
  return result;
}

using Groups = std::vector<std::uint32_t>;

TEST(GroupSelection, TakesNumbersAndRanges) {
  EXPECT_EQ(selected("all", 3), (Groups{0, 1, 2}));
  EXPECT_EQ(selected("1-3,7", 10), (Groups{1, 2, 3, 7}));
  EXPECT_EQ(selected("7,2-4,3-5", 7), (Groups{2, 3, 4, 5}));
  EXPECT_EQ(selected("6-9", 8), (Groups{6, 7}));
}

TEST(GroupSelection, LeavesOutWhatItIsTold) {
  for (const char* text : {"all", "1-3,7", "every:3", "random:50%", "drawn-cores:0,2/4"}) {
    const GroupSelection all = GroupSelection::parse(text);
    const GroupSelection some =
        all.without({WorkGroupId(0), WorkGroupId(2), WorkGroupId(3), WorkGroupId(90)});
    std::uint64_t count = 0;
    for (std::uint32_t group = 0; group < 10; ++group) {
      const bool left_out = group == 0 || group == 2 || group == 3;
      EXPECT_EQ(some.contains(kLaunch, WorkGroupId(group)),
                !left_out && all.contains(kLaunch, WorkGroupId(group)))
          << text << ", work-group " << group;
      count += some.contains(kLaunch, WorkGroupId(group)) ? 1 : 0;
    }
    EXPECT_EQ(some.count(kLaunch, 10), count) << text;
    EXPECT_EQ(some.text(), text);
    EXPECT_FALSE(some.is_all());
  }
}

TEST(GroupSelection, TakesEveryNth) {
  EXPECT_EQ(selected("every:4", 9), (Groups{0, 4, 8}));
  EXPECT_EQ(selected("every:4", 8), (Groups{0, 4}));
  EXPECT_EQ(selected("every:1", 2), (Groups{0, 1}));
}

TEST(GroupSelection, TakesAShareAtRandomAndTheSameEveryTime) {
  const Groups once = selected("random:10%", 100000);
  EXPECT_EQ(once, selected("random:10%", 100000));
  // 10,000 expected, standard deviation 95.
  EXPECT_NEAR(static_cast<double>(once.size()), 10000, 500);
  EXPECT_EQ(selected("random:100%", 50).size(), 50u);
  const auto selection = GroupSelection::parse("random:10%");
  std::uint32_t differs = 0;
  for (std::uint32_t group = 0; group < 1000; ++group)
    differs += selection.contains(LaunchId(0), WorkGroupId(group)) !=
               selection.contains(LaunchId(1), WorkGroupId(group));
  EXPECT_GT(differs, 100u);  // another launch, other work-groups
}

TEST(GroupSelection, TakesAllWorkGroupsOfEveryNthCore) {
  // Work-group i goes to core i mod 5; cores 0, 2 and 4 are taken.
  EXPECT_EQ(selected("every-core:2/5", 12), (Groups{0, 2, 4, 5, 7, 9, 10}));
  EXPECT_EQ(selected("every-core:5/5", 11), (Groups{0, 5, 10}));
  EXPECT_EQ(selected("every-core:1/3", 4), (Groups{0, 1, 2, 3}));
  for (const std::uint32_t groups : {0u, 1u, 107u, 108u, 109u, 1000u}) selected("every-core:8/108", groups);
  const auto cores = GroupSelection::parse("every-core:8/108").cores();
  ASSERT_TRUE(cores);
  EXPECT_EQ(cores->every, 8u);
  EXPECT_EQ(cores->of, 108u);
  EXPECT_EQ(cores->count(), 14u);  // 0, 8, …, 104
  EXPECT_FALSE(GroupSelection::parse("every:8").cores());
}

TEST(GroupSelection, TakesAllWorkGroupsOfDrawnCores) {
  EXPECT_EQ(selected("drawn-cores:1,3-4/5", 12), (Groups{1, 3, 4, 6, 8, 9, 11}));
  for (const std::uint32_t groups : {0u, 1u, 2u, 8u, 9u, 1000u}) selected("drawn-cores:0,7,33/108", groups);
  const auto cores = GroupSelection::parse("drawn-cores:0,7,33/108").cores();
  ASSERT_TRUE(cores);
  EXPECT_EQ(cores->drawn, (std::vector<std::uint32_t>{0, 7, 33}));
  EXPECT_EQ(cores->of, 108u);
  EXPECT_EQ(cores->count(), 3u);
}

TEST(GroupSelection, TakesTheFirstWaves) {
  EXPECT_EQ(selected("waves:2/3", 10), (Groups{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(selected("waves:2/3", 5), (Groups{0, 1, 2, 3, 4}));
  EXPECT_EQ(selected("waves:4000000000/4000000000", 3), (Groups{0, 1, 2}));
}

TEST(GroupSelection, RefusesEverythingElse) {
  for (const char* text : {"",
                           "x",
                           "1-",
                           "-1",
                           "3-1",
                           "1,,2",
                           "every:0",
                           "every:",
                           "every:x",
                           "random:5",
                           "random:0%",
                           "random:101%",
                           "random:%",
                           "1 2",
                           "99999999999",
                           "every-core:4",
                           "every-core:",
                           "every-core:/",
                           "every-core:0/4",
                           "every-core:5/4",
                           "every-core:2/",
                           "drawn-cores:",
                           "drawn-cores:1",
                           "drawn-cores:/4",
                           "drawn-cores:4/4",
                           "drawn-cores:1/",
                           "drawn-cores:0-4000000000/4000000001",
                           "drawn-cores:1/4+",
                           "drawn-cores:1/4+first:3",
                           "waves:3",
                           "waves:",
                           "waves:0/4",
                           "waves:1/0",
                           "waves:1/2/3"})
    EXPECT_THROW(GroupSelection::parse(text), InputError) << text;
}

}  // namespace
}  // namespace warpscope
