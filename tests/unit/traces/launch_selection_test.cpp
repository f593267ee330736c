// --launch and --kernel: what they take, what they refuse, and how numbers are written.
#include "traces/program/launch_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/stream/launch_filter.h"

namespace warpscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Launches 0, 1, 2, 3, 7 and 8 of the kernels a, b<int, 4>, a, ab, a, c(int *).
std::vector<LaunchInfo> six_launches() {
  const std::vector<std::pair<std::uint32_t, const char*>> kinds = {
      {0, "a"}, {1, "b<int, 4>"}, {2, "a"}, {3, "ab"}, {7, "a"}, {8, "c(int *)"}};
  std::vector<LaunchInfo> launches;
  for (const auto& [id, name] : kinds) {
    KernelInfo kernel = testing::sample_kernel();
    kernel.name = name;
    launches.push_back(testing::sample_launch(id, 1, 8));
    launches.back().kernel = kernel;
  }
  return launches;
}

std::vector<std::uint32_t> taken(std::optional<std::string> launches, std::optional<std::string> kernels) {
  const std::vector<LaunchInfo> all = six_launches();
  std::vector<std::uint32_t> ids;
  for (const LaunchInfo* launch : LaunchSelection(launches, kernels).of(all))
    ids.push_back(launch->id.value());
  return ids;
}

std::string refusal(std::optional<std::string> launches, std::optional<std::string> kernels) {
  try {
    taken(launches, kernels);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LaunchSelection, TakesNumbersRangesAndNames) {
  EXPECT_THAT(taken({}, {}), ElementsAre(0, 1, 2, 3, 7, 8));
  EXPECT_THAT(taken("all", {}), ElementsAre(0, 1, 2, 3, 7, 8));
  EXPECT_THAT(taken("2", {}), ElementsAre(2));
  EXPECT_THAT(taken("7,0-2", {}), ElementsAre(0, 1, 2, 7));
  EXPECT_THAT(taken("3-7", {}), ElementsAre(3, 7)) << "launches 4 to 6 were not recorded";
  EXPECT_THAT(taken({}, "a"), ElementsAre(0, 2, 7)) << "a whole name, not the part of another";
  EXPECT_THAT(taken({}, "b<int, 4>,ab"), ElementsAre(1, 3)) << "a comma in brackets belongs to the name";
  EXPECT_THAT(taken({}, "c(int *)"), ElementsAre(8)) << "characters of expressions in a name";
  EXPECT_THAT(taken({}, "^[ab]b?$"), ElementsAre(0, 2, 3, 7));
  EXPECT_THAT(taken("0-3", "a"), ElementsAre(0, 2)) << "both must say so";
}

TEST(LaunchSelection, RefusesWhatIsNotThereAndSaysWhatIs) {
  EXPECT_EQ(refusal("9", {}), "--launch 9: no such launch, the capture holds 6 (numbers 0-3,7-8)");
  EXPECT_THAT(refusal("2-9", {}), HasSubstr("--launch 2-9: no such launch"));
  EXPECT_THAT(refusal("4-6", {}), HasSubstr("--launch 4-6: no such launch"));
  EXPECT_THAT(refusal("x", {}), HasSubstr("--launch x: expected numbers and ranges such as 3,7-9"));
  EXPECT_THAT(refusal("3-1", {}), HasSubstr("--launch 3-1: expected numbers"));
  EXPECT_EQ(refusal({}, "d"),
            "--kernel d: no such kernel, the capture holds launches of a, ab, b<int, 4>, c(int *)");
  EXPECT_THAT(refusal({}, "a,d"), HasSubstr("--kernel d: no such kernel"));
  EXPECT_THAT(refusal({}, "("),
              HasSubstr("--kernel (: expected the name of a kernel or a regular expression"));
  EXPECT_THAT(refusal({}, "a,"), HasSubstr("--kernel 'a,': expected names of kernels, separated by commas"));
  EXPECT_THAT(refusal("1", "a"), HasSubstr("none of these launches is of such a kernel"));
}

TEST(NumberRanges, JoinNeighbours) {
  NumberRanges ranges;
  for (const std::uint32_t number : {3u, 4u, 5u, 7u, 9u, 10u}) ranges.add(number);
  EXPECT_EQ(ranges.text(), "3-5,7,9-10");
  EXPECT_EQ(ranges.first(), 3u);
}

/// What a filter lets through.
class Seen final : public WarpAccessSink {
 public:
  void begin(const StreamHeader& header) override { stream = header; }
  void begin_launch(LaunchId launch) override { launches.push_back(launch.value()); }
  void access(const WarpAccess&) override { ++accesses[launches.back()]; }
  void end() override {}
  StreamHeader stream;
  std::vector<std::uint32_t> launches;
  std::map<std::uint32_t, int> accesses;
};

TEST(LaunchFilter, LeavesOutTheOtherLaunches) {
  StreamHeader header;
  header.context = {{"launch", "all"}};
  for (const LaunchInfo& launch : six_launches()) header.launches.push_back(launch);
  Seen seen;
  const LaunchSelection selection("1,7", {});
  LaunchFilter filter(selection, seen);
  filter.begin(header);
  for (const std::uint32_t id : {0u, 1u, 2u, 7u, 8u}) {
    filter.begin_launch(LaunchId(id));
    for (std::uint32_t i = 0; i <= id; ++i) filter.access({});
  }
  EXPECT_THAT(seen.launches, ElementsAre(1, 7));
  EXPECT_THAT(seen.accesses, ElementsAre(std::pair(1, 2), std::pair(7, 8)));
  EXPECT_EQ(seen.stream.launches.size(), 2u);
  EXPECT_EQ(seen.stream.context["launch"], "1,7");
  header.launches.clear();
  EXPECT_THROW(LaunchFilter(selection, seen).begin(header), InputError) << "text: no launches";
}

}  // namespace
}  // namespace warpscope
