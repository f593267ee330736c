// Launches in results: they add up to the whole, groups say in short what the list says, and memory does not
// grow with the number of launches beyond what a launch itself needs.
#include <gtest/gtest.h>
#include <malloc.h>

#include <map>

#include "cachesim/result/result_json.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "scheduler/schedule.h"
#include "tests/property/laws/many_launches.h"
#include "traces/program/group_selection.h"

namespace warpscope::testing {
namespace {

using Json = nlohmann::ordered_json;

/// All that a run of cachesim holds at its end.
struct WholeRun {
  explicit WholeRun(const std::string& path)
      : reader(path), simulator(options()), sink(128, coalescing_rule("fermi"), simulator) {
    run_schedule(reader, {}, sink);
    ResultContext context;
    context.cache = options().cache;
    result = make_result(context, simulator.header().stream, simulator.result(), {});
  }
  static SimulationOptions options() {
    SimulationOptions options;
    options.cache = {1, 128, 2, "LRU", "WTNA"};
    options.self_check = true;
    return options;
  }
  CaptureReader reader;
  L1Simulator simulator;
  CoalescingSink sink;
  ResultJson result;
};

/// Adds up the numbers of two counters' JSON; what is no number is taken from the first.
Json sum(const Json& a, const Json& b) {
  if (a.is_number_unsigned()) return a.get<std::uint64_t>() + b.get<std::uint64_t>();
  if (!a.is_object()) return a;
  Json result = a;
  for (const auto& [key, value] : b.items())
    result[key] = result.contains(key) ? sum(result[key], value) : value;
  return result;
}

const std::vector<std::string> kCounters = {"load",        "store",     "atomic",    "miss_classes",
                                            "write_backs", "evictions", "outside_l1"};

class Launches : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(Launches, AddUpToTheWhole) {
  write_many_launches(folder_.file("x"), 700);
  const Json result = WholeRun(folder_.file("x")).result.whole();
  ASSERT_EQ(result.at("launches").size(), 700u);
  for (const std::string& counter : kCounters) {
    Json of_launches = result.at("launches")[0].at(counter),
         of_groups = result.at("launch_groups")[0].at(counter);
    for (std::size_t i = 1; i < result.at("launches").size(); ++i)
      of_launches = sum(of_launches, result.at("launches")[i].at(counter));
    for (std::size_t i = 1; i < result.at("launch_groups").size(); ++i)
      of_groups = sum(of_groups, result.at("launch_groups")[i].at(counter));
    EXPECT_EQ(of_launches, result.at("total").at(counter)) << counter;
    EXPECT_EQ(of_groups, result.at("total").at(counter)) << counter;
  }
}

TEST_F(Launches, GroupsExpandToTheList) {
  write_many_launches(folder_.file("x"), 700);
  const Json result = WholeRun(folder_.file("x")).result.whole();
  EXPECT_EQ(result.at("launch_groups").size(), 6u) << "three kernels, each with two kinds of accesses";
  std::map<std::uint64_t, const Json*> group_of;
  std::uint64_t first = 0;
  for (const Json& group : result.at("launch_groups")) {
    std::uint64_t count = 0;
    for (const auto& [from, to] : parse_number_ranges(group.at("launches"), "launches"))
      for (std::uint64_t number = from; number <= to; ++number, ++count)
        EXPECT_TRUE(group_of.emplace(number, &group).second) << number << " is in two groups";
    EXPECT_EQ(group.at("count"), count);
    EXPECT_EQ(group.at("first"), parse_number_ranges(group.at("launches"), "launches").front().first);
    EXPECT_GE(group.at("first"), first) << "in order of the first";
    first = group.at("first");
  }
  ASSERT_EQ(group_of.size(), 700u);
  std::map<const Json*, std::vector<const Json*>> members;
  for (const Json& launch : result.at("launches"))
    members[group_of.at(launch.at("launch"))].push_back(&launch);
  for (const auto& [group, launches] : members)
    for (const Json* launch : launches)
      for (const char* key : {"kernel", "global", "local", "l1_kib"})
        EXPECT_EQ(group->at(key), launch->at(key));
  for (const auto& [group, launches] : members)
    for (const std::string& counter : kCounters) {
      Json all = launches[0]->at(counter);
      for (std::size_t i = 1; i < launches.size(); ++i) {
        EXPECT_EQ(launches[i]->at(counter), launches[0]->at(counter)) << "equal in every counter";
        all = sum(all, launches[i]->at(counter));
      }
      EXPECT_EQ(group->at(counter), all) << counter;
    }
}

TEST_F(Launches, AreWrittenOneByOneAsTheWholeWouldBe) {
  write_many_launches(folder_.file("x"), 7);
  const WholeRun run(folder_.file("x"));
  OutputFile file(folder_.file("result.json"));
  write_json(run.result, file);
  file.commit();
  EXPECT_EQ(read_file(folder_.file("result.json")), run.result.whole().dump(1) + "\n");
}

/// Bytes that are allocated while a run of so many launches holds its result.
std::size_t bytes_held(const std::string& path, std::uint32_t launches) {
  write_many_launches(path, launches);
  const auto held = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = held();
  const WholeRun run(path);
  return held() - before;
}

TEST_F(Launches, NeedLittleMoreThanOneKiBEach) {
  constexpr std::uint32_t kFew = 1000, kMany = 9000;
  constexpr std::size_t kMost = 1120;
  const std::size_t few = bytes_held(folder_.file("few"), kFew),
                    many = bytes_held(folder_.file("many"), kMany);
  EXPECT_LE(many - few, std::size_t{kMany - kFew} * kMost)
      << (many - few) / (kMany - kFew) << " bytes per launch";
}

}  // namespace
}  // namespace warpscope::testing
