// What every replacement policy must do, whatever it is.
#include <gtest/gtest.h>

#include <set>

#include "simulate.h"
#include "traces/base/error.h"

namespace warpscope::test {
namespace {

class EveryPolicy : public testing::TestWithParam<std::string> {
 protected:
  SimulationResult run(std::uint64_t kib, std::uint32_t ways, const std::vector<Transaction>& transactions,
                       const std::string& write = "WBWA") {
    SimulationOptions options;
    options.cache = {kib, 128, ways, GetParam(), write, "linear", 5};
    options.self_check = true;
    return simulate(options, {transactions});
  }
  /// Those of `ways` that the policy is defined for.
  [[nodiscard]] static std::vector<std::uint32_t> legal(std::vector<std::uint32_t> ways) {
    std::erase_if(ways, [](std::uint32_t each) { return !replacement_policy(GetParam()).takes(each); });
    return ways;
  }
};

TEST_P(EveryPolicy, TakesFourWaysAndSaysWhichOthers) {
  const ReplacementEntry& policy = replacement_policy(GetParam());
  EXPECT_TRUE(policy.takes(4));
  for (const std::uint32_t ways : {1u, 2u, 3u, 6u, 8u}) {
    const CacheConfig config{3, 128, ways, GetParam(), "WTNA", "linear", 1};
    if (policy.takes(ways))
      EXPECT_NO_THROW(validate(config)) << ways << " ways";
    else
      EXPECT_THROW(validate(config), InputError) << ways << " ways";
  }
}

TEST_P(EveryPolicy, DrawsRandomNumbersAsItSays) {
  SimulationOptions options;
  options.classes = false;
  const auto misses = [&](std::uint64_t seed) {
    std::vector<Transaction> stream;
    for (std::uint64_t i = 0; i < 4000; ++i) stream.push_back(transaction(i * 7 % 11, false));
    options.cache = {1, 256, 4, GetParam(), "WTNA", "linear", seed};
    return simulate(options, {stream}).total().of(AccessKind::Load).misses;
  };
  const std::set<std::uint64_t> seen = {misses(1), misses(2), misses(3), misses(4)};
  EXPECT_EQ(seen.size() > 1, replacement_policy(GetParam()).random);
}

std::vector<Transaction> walk(std::uint64_t lines, int rounds, std::uint64_t stride = 1) {
  std::vector<Transaction> transactions;
  for (int round = 0; round < rounds; ++round)
    for (std::uint64_t line = 0; line < lines; ++line)
      transactions.push_back(transaction(line * stride, false));
  return transactions;
}

TEST_P(EveryPolicy, KeepsWhatFits) {
  for (const std::uint32_t ways : legal({1, 2, 3, 4, 6, 8, 24})) {
    const auto total = run(3, ways, walk(24, 3)).total();
    EXPECT_EQ(total.of(AccessKind::Load).misses, 24u) << ways << " ways";
    EXPECT_EQ(total.evictions, 0u);
  }
}

TEST_P(EveryPolicy, NeverEvictsTheLineThatJustCameIn) {
  std::vector<Transaction> twice;
  for (std::uint64_t line = 0; line < 500; ++line) {
    twice.push_back(transaction(line * 37, false));
    twice.push_back(transaction(line * 37, false));
  }
  for (const std::uint32_t ways : legal({1, 3, 4, 8}))
    EXPECT_EQ(run(3, ways, twice).total().of(AccessKind::Load).hits, 500u);
}

TEST_P(EveryPolicy, EvictsOneLinePerMissOnceFull) {
  const auto total = run(2, 4, walk(64, 4)).total();
  EXPECT_EQ(total.evictions, total.of(AccessKind::Load).misses - 16);
}

TEST_P(EveryPolicy, AgreesOnDirectMappedCaches) {
  if (legal({1}).empty()) return;  // nothing to agree on
  const auto stream = walk(50, 5, 3);
  SimulationOptions options;
  options.cache = {2, 128, 1, "LRU", "WBWA", "linear", 5};
  EXPECT_EQ(run(2, 1, stream).total(), simulate(options, {stream}).total());
}

TEST_P(EveryPolicy, LeavesSetsAlone) {
  // Lines of set 0 thrash; the line of set 1 stays.
  std::vector<Transaction> transactions = {transaction(1, false)};
  for (std::uint64_t i = 0; i < 200; ++i) transactions.push_back(transaction(i * 4, false));
  transactions.push_back(transaction(1, false));
  EXPECT_EQ(run(2, 4, transactions).total().of(AccessKind::Load).hits, 1u);
}

TEST_P(EveryPolicy, IsDeterministic) {
  const auto stream = walk(90, 6, 5);
  EXPECT_EQ(run(4, 4, stream).total(), run(4, 4, stream).total());
}

TEST_P(EveryPolicy, SurvivesLinesRemovedByStores) {
  std::vector<Transaction> transactions;
  for (std::uint64_t i = 0; i < 3000; ++i) transactions.push_back(transaction(i * 7 % 61, i % 3 == 0));
  for (const std::uint32_t ways : legal({1, 2, 4, 16}))
    EXPECT_GT(run(2, ways, transactions, "WENA").total().evictions, 0u);
}

TEST_P(EveryPolicy, StartsEmptyAtEveryLaunch) {
  SimulationOptions options;
  options.cache = {2, 128, 4, GetParam(), "WTNA", "linear", 5};
  EXPECT_EQ(simulate(options, {walk(16, 2), walk(16, 2)}).total().of(AccessKind::Load).misses, 32u);
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const ReplacementEntry& entry : replacement_policies()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPolicy, testing::ValuesIn(names()), [](const auto& policy) {
  std::string name = policy.param;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
});

}  // namespace
}  // namespace warpscope::test
