// NRU and Fermi's probabilistic choice by hand: one set of four ways (every second of two sets' lines).
#include <gtest/gtest.h>

#include "simulate.h"

namespace warpscope::test {
namespace {

SimulationOptions four_ways(const char* replacement) {
  SimulationOptions options;
  options.cache = {1, 128, 4, replacement, "WTNA", "linear", 5};
  return options;
}

std::vector<Transaction> loads(const std::string& lines) {
  std::vector<Transaction> transactions;
  for (const char line : lines)
    transactions.push_back(transaction(static_cast<std::uint64_t>(line) * 2, false));
  return transactions;
}

std::uint64_t hits(const char* replacement, const std::string& lines) {
  return simulate(four_ways(replacement), {loads(lines)}).total().of(AccessKind::Load).hits;
}

// e and f replace a and b; c is used; a replaces d, the only one not used since e came. Then every line is
// recent: b replaces the lowest way, e, though it was used just before. LRU would have kept it.
TEST(Nru, ForgetsAllUsesWhenEveryLineIsRecent) {
  EXPECT_EQ(hits("NRU", "abcdefcaeb"), 2u);
  EXPECT_EQ(hits("NRU", "abcdefcaebe"), 2u);
  EXPECT_EQ(hits("LRU", "abcdefcaebe"), 3u);
}

// Each launch fills the ways in order, lets a fifth line in and asks for the line of one way.
TEST(FermiProb, ReplacesTheSecondWayHalfOfTheTime) {
  constexpr std::size_t kLaunches = 3000;
  const double expected[] = {1.0 / 6, 1.0 / 2, 1.0 / 6, 1.0 / 6};
  for (std::size_t way = 0; way < 4; ++way) {
    const std::vector<std::vector<Transaction>> launches(kLaunches,
                                                         loads(std::string("abcde") + "abcd"[way]));
    const std::uint64_t hit = simulate(four_ways("Fermi-prob"), launches).total().of(AccessKind::Load).hits;
    // Four standard deviations of 3,000 draws with probability 1/2.
    EXPECT_NEAR(1.0 - static_cast<double>(hit) / kLaunches, expected[way], 0.037) << "way " << way;
  }
}

TEST(FermiProb, IsDefinedForFourWays) {
  CacheConfig config{48, 128, 6, "Fermi-prob", "WTNA", "linear", 1};
  EXPECT_ANY_THROW(validate(config));
  config.ways = 4;
  EXPECT_NO_THROW(validate(config));
}

}  // namespace
}  // namespace warpscope::test
