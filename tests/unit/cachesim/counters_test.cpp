// The structs that come from cachesim/access/counters.def.
#include "cachesim/access/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cachesim/counters/counters_json.h"
#include "cachesim/counters/launch_records.h"
#include "cachesim/transactions/transaction_json.h"
#include "traces/base/error.h"
#include "traces/stream/descriptions.h"

namespace warpscope {
namespace {

/// Every number another one: 1, 2, 3, …
Counts numbered() {
  Counts counts;
  std::uint64_t next = 0;
  each_number([&](const char*, std::uint64_t& number) { number = ++next; }, counts);
  return counts;
}

TEST(Counters, EveryNumberAddsUp) {
  Counts sum = numbered();
  sum += numbered();
  std::uint64_t next = 0;
  each_number([&](const char* name, std::uint64_t number) { EXPECT_EQ(number, 2 * ++next) << name; }, sum);
  EXPECT_EQ(sum, scaled(numbered(), 2));
  EXPECT_GE(next, 3u * 14 + 5 + 2 + 3 + 16 + 36)
      << "of kinds, classes, all kinds, lines, by previous accessor, outside";
}

TEST(Counters, OfALaunchComeBackAsTheyWere) {
  LaunchRecords records;
  records.add(0, {16, numbered(), "more"}, 16);
  records.add(1, {16, {}, {}}, 16);
  EXPECT_EQ(records[0], numbered());
  EXPECT_EQ(records[1], Counts{});
}

TEST(Counters, AreTheKeysOfTheResult) {
  KindCounts kind;
  kind.requests = 3;
  kind.stages.bytes = 96;
  const auto with_stages = counters_json(kind, true), without = counters_json(kind, false);
  for (const char* key : {"requests", "lanes", "transactions", "hits", "hits_pending", "sector_misses",
                          "misses", "bypasses", "reservation_fails"})
    EXPECT_TRUE(without.contains(key)) << key;
  EXPECT_EQ(with_stages.at("requests"), 3);
  EXPECT_EQ(with_stages.at("sectors"), 3) << "96 bytes in sectors of 32";
  EXPECT_FALSE(without.contains("bytes"));
  EXPECT_FALSE(counters_json(OutsideCounts{}, false).contains("wavefronts"));
  EXPECT_EQ(traffic_json(kind).at("requests"), 3);
  EXPECT_FALSE(traffic_json(kind).contains("hits")) << "a cache's own";
  EXPECT_FALSE(outcome_json(kind).contains("requests"));
}

std::vector<std::string> tallies_of(const char* more) {
  DescriptionReader descriptions;
  return transaction_header_from_json(
             nlohmann::json::parse(std::string(R"({"line_bytes": 128, "coalescing": "fermi", "line_limit": 9,
               "warp_size": 32, "cores": 1, "work_groups": 1, )") +
                                   more + "}"),
             "x.wtxn", descriptions)
      .tallies;
}

// Files of version 1 had two numbers of an origin, those of 2 and 3 nine; later ones name them.
TEST(Counters, OfATransactionStreamAreNamed) {
  const std::vector<std::string> nine = tallies_of(R"("version": 3)");
  EXPECT_EQ(tallies_of(R"("version": 1)"), (std::vector<std::string>{"lanes", "outside_requests"}));
  EXPECT_EQ(nine.size(), 9u);
  EXPECT_EQ(tallies_of(R"("version": 4, "tallies": ["a", "lanes"])"),
            (std::vector<std::string>{"a", "lanes"}));
  const std::vector<std::string> today = to_json(TransactionHeader{}).at("tallies");
  for (const std::string& name : nine) EXPECT_EQ(std::count(today.begin(), today.end(), name), 1) << name;
  EXPECT_THROW(tallies_of(R"("version": 4, "tallies": [7])"), InputError);
}

}  // namespace
}  // namespace warpscope
