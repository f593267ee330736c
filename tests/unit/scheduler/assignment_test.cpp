// Which core gets which work-groups, and the random numbers behind it.
#include "scheduler/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "scheduler/schedule.h"
#include "tests/unit/temporary_folder.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<WorkGroupId> groups_up_to(std::uint32_t count) {
  std::vector<WorkGroupId> groups;
  for (std::uint32_t g = 0; g < count; ++g) groups.emplace_back(g);
  return groups;
}

TEST(Assignment, RandomSharesAreEqualAndComplete) {
  const auto groups_of = assign_groups(groups_up_to(47), 47, 15, "random", 3);
  std::set<WorkGroupId> all;
  for (std::size_t c = 0; c < 15; ++c) {
    EXPECT_EQ(groups_of[c].size(), c < 47 % 15 ? 4u : 3u);
    EXPECT_TRUE(std::is_sorted(groups_of[c].begin(), groups_of[c].end()));
    all.insert(groups_of[c].begin(), groups_of[c].end());
  }
  EXPECT_EQ(all.size(), 47u);
  EXPECT_EQ(groups_of, assign_groups(groups_up_to(47), 47, 15, "random", 3));
  EXPECT_NE(groups_of, assign_groups(groups_up_to(47), 47, 15, "random", 4));
}

TEST(Assignment, FileNamesOneCorePerGroup) {
  const TemporaryFolder folder;
  const std::string path = folder.file("placement.txt");
  const auto write = [&](const char* text) { std::ofstream(path) << text; };
  const auto message = [&](std::uint32_t total) {
    try {
      assign_groups(groups_up_to(total), total, 2, path, 0);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(path.size());
    }
    return std::string();
  };
  write("1\n0\n1\n");
  const auto groups_of = assign_groups(groups_up_to(3), 3, 2, path, 0);
  EXPECT_THAT(groups_of[0], ElementsAre(WorkGroupId(1)));
  EXPECT_THAT(groups_of[1], ElementsAre(WorkGroupId(0), WorkGroupId(2)));
  EXPECT_THAT(message(4), HasSubstr(":4: the file ends, expected 4 lines"));
  EXPECT_THAT(message(2), HasSubstr(":3: more lines than the launch has work-groups, expected 2"));
  write("1\n2\n");
  EXPECT_THAT(message(2), HasSubstr(":2: '2', expected one core number 0 to 1"));
  write("1\nx\n");
  EXPECT_THAT(message(2), HasSubstr(":2: 'x', expected"));
  EXPECT_THROW(assign_groups(groups_up_to(1), 1, 1, path + ".missing", 0), InputError);
}

// First numbers of SplitMix64 with seed 1234567, as published with the reference code (S. Vigna,
// splitmix64.c).
TEST(Random, EqualsTheReferenceSequence) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
}

TEST(DrawnForStream, TakesRisingCoresOfTheStreamOnly) {
  StreamHeader header;
  header.cores = 8;
  EXPECT_TRUE(drawn_for_stream(header).empty());
  header.context["sampled_cores"] = nlohmann::json::parse("[0,3,7]");
  EXPECT_EQ(drawn_for_stream(header), (std::vector<std::uint32_t>{0, 3, 7}));
  for (const char* wrong :
       {"[]", "[8]", "[3,3]", "[3,1]", "[-1]", "[1.5]", "\"1\"", "{\"a\":1}", "7", "null"}) {
    header.context["sampled_cores"] = nlohmann::json::parse(wrong);
    EXPECT_THROW(drawn_for_stream(header), InputError) << wrong;
  }
}

}  // namespace
}  // namespace warpscope::testing
