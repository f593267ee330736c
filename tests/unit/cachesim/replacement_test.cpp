// Replacement policies on one set of four ways, step by step on paper; and more tags than lines. Lines are letters.
#include <gtest/gtest.h>

#include <string>

#include "simulate.h"

namespace warpscope::test {
namespace {

/// 'h' or 'm' per reference; upper-case letters are loads. One set: 4 ways of 256-byte lines.
std::string outcomes(const std::string& replacement, const std::string& loads, std::uint32_t ways = 4) {
  SimulationOptions options;
  options.cache = {1, 1024 / ways, ways, replacement, "WTNA", "linear", 1};
  std::string text;
  std::vector<Transaction> transactions;
  std::uint64_t hits = 0;
  for (const char line : loads) {
    transactions.push_back(transaction(static_cast<std::uint64_t>(line), false));
    const std::uint64_t now = simulate(options, {transactions}).total().of(AccessKind::Load).hits;
    text += now > hits ? 'h' : 'm';
    hits = now;
  }
  return text;
}

TEST(Lru, LeastRecentlyUsedGoes) {
  // A B C D, A again, E replaces B; B then replaces C; A, D, E are still there.
  EXPECT_EQ(outcomes("LRU", "ABCDAEBADE"), "mmmmhmmhhh");
}

TEST(Fifo, HitsDoNotSaveALine) {
  // A again does not help: E replaces A; A replaces B; C, D, E are still there.
  EXPECT_EQ(outcomes("FIFO", "ABCDAEACDE"), "mmmmhmmhhh");
}

TEST(Lfu, FewestUsesGoAndTiesGoToTheLowestWay) {
  // Uses A2 B1 C2 D2: E replaces B. Then E has 1 use: B replaces E, although E came last.
  EXPECT_EQ(outcomes("LFU", "ABCDACDEBACDB"), "mmmmhhhmmhhhh");
  // All have one use: way 0 (A) goes.
  EXPECT_EQ(outcomes("LFU", "ABCDEA"), "mmmmmm");
  EXPECT_EQ(outcomes("LFU", "ABCDEBCD"), "mmmmmhhh");
}

TEST(Lfu, UsesStartAfreshWhenALineComesIn) {
  // A has 4 uses, leaves never; B leaves for E, comes back for E with one use and is the victim again.
  EXPECT_EQ(outcomes("LFU", "AAABCDCDEBEA"), "mhhmmmhhmmmh");
}

TEST(Mfu, MostUsesGo) {
  // A has two uses: E replaces A; then all have one: way 0 (E) goes for A.
  EXPECT_EQ(outcomes("MFU", "ABCDAEAE"), "mmmmhmmm");
}

TEST(TreePlru, FollowsTheTree) {
  // Ways: A0 B1 C2 D3. After D the root points to {0,1}; inside {0,1} the node points to 0 (B was last), so E
  // replaces A. E turns the root to {2,3}, where the node points to 2: F replaces C. Root to {0,1}, node
  // points to 1: G replaces B.
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDEFG"), "mmmmmmm");
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDED"), "mmmmmh");
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDEB"), "mmmmmh");
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDEA"), "mmmmmm");
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDEFBD"), "mmmmmmhh");
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDEFC"), "mmmmmmm");
  // Not LRU: after A B C D A the root points to {2,3} and its node to 2, so E replaces C where LRU would take
  // B.
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDAEB"), "mmmmhmh");
  EXPECT_EQ(outcomes("tree-PLRU", "ABCDAEC"), "mmmmhmm");
}

// RRPVs after each step, hit priority, 2 bits; fill 2, hit 0, victim the first 3.
TEST(Srrip, FollowsThePaper) {
  // A2 B2 C2 D2. Hit A, B: A0 B0 C2 D2. E: none is 3, all +1: A1 B1 C3 D3; C goes: E2. F: D (3) goes: F2.
  EXPECT_EQ(outcomes("SRRIP", "ABCDABEFAB"), "mmmmhhmmhh");
  EXPECT_EQ(outcomes("SRRIP", "ABCDABEC"), "mmmmhhmm");
  EXPECT_EQ(outcomes("SRRIP", "ABCDABED"), "mmmmhhmh");
  // Scan resistance: A and B, used again, survive a scan of as many lines as there are ways.
  EXPECT_EQ(outcomes("SRRIP", "ABABCDEFAB"), "mmhhmmmmhh");
  EXPECT_EQ(outcomes("LRU", "ABABCDEFAB"), "mmhhmmmmmm");
  // ... but not for ever: A0 B0 C2 D2 | E: A1 B1 E2 D3 | F: A1 B1 E2 F2 | G: A2 B2 G2 F3 | H: A2 B2 G2 H2 |
  // I: all become 3, and the lowest way, A, goes.
  EXPECT_EQ(outcomes("SRRIP", "ABABCDEFGHIBA"), "mmhhmmmmmmmhm");
}

// Lower-case letters here: lines that were hit since they came in.
TEST(Slru, ProtectsWhatWasHit) {
  // a B C D, E: B is the oldest of those that nothing hit and goes; then C for F; a is still there.
  EXPECT_EQ(outcomes("SLRU", "ABCDAEFA"), "mmmmhmmh");
  EXPECT_EQ(outcomes("SLRU", "ABCDAEB"), "mmmmhmm");
  // a outlives nine victims, B to J, and K would be the tenth before it; LRU and SRRIP lose it sooner.
  EXPECT_EQ(outcomes("SLRU", "AABCDEFGHIJKLMA"), "mhmmmmmmmmmmmmh");
  EXPECT_EQ(outcomes("SLRU", "AABCDEFGHIJKLMNA"), "mhmmmmmmmmmmmmmm");
  EXPECT_EQ(outcomes("SRRIP", "AABCDEFGHIJKLMNA"), "mhmmmmmmmmmmmmmm");
  // a b c d: all were hit, A is the oldest and goes for E; B, C and D are not protected any more, so F takes B's place, not E's.
  EXPECT_EQ(outcomes("SLRU", "ABCDABCDEFECDB"), "mmmmhhhhmmhhhm");
  // In turn, one line too many: nothing is ever hit, as with LRU.
  EXPECT_EQ(outcomes("SLRU", "ABCDEABCDE"), "mmmmmmmmmm");
}

/// Loads of lines in turn, as often as given; misses of each round. Two sets of two ways.
std::vector<std::uint64_t> misses_of_rounds(std::uint32_t lines_in_memory,
                                            const std::vector<std::uint64_t>& lines, int rounds) {
  SimulationOptions options;
  options.cache = {lines_in_memory, 1024, 2, "SLRU", "WTNA", "linear", 1};
  options.cache.tag_sets = 2;
  std::vector<Transaction> transactions;
  std::vector<std::uint64_t> misses;
  std::uint64_t before = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const std::uint64_t line : lines) transactions.push_back(transaction(line, false));
    const std::uint64_t now = simulate(options, {transactions}).total().of(AccessKind::Load).misses;
    misses.push_back(now - before);
    before = now;
  }
  return misses;
}

// By hand. Tags for four lines in two sets (even and odd lines), memory for three.
TEST(SpareTags, AFreeTagWithoutMemoryTakesALineOfTheSetWhoseTurnItIs) {
  using Rounds = std::vector<std::uint64_t>;
  EXPECT_EQ(misses_of_rounds(3, {0, 1, 2}, 3), (Rounds{3, 0, 0}));
  // 3 has a free tag, no memory: set 0's turn, its oldest line 0 goes. Then 0: set 0 has a free tag, set 1's turn, 1 goes. 1: set 0's
  // turn, 2 goes (0 is newer). 2: set 1's turn: 3, the older, goes. 3: set 0's turn: 0 goes. So it goes on: nothing is hit.
  EXPECT_EQ(misses_of_rounds(3, {0, 1, 2, 3}, 3), (Rounds{4, 4, 4}));
  // 0, 2, 4 are in one set of two ways: memory does not help.
  EXPECT_EQ(misses_of_rounds(3, {0, 2, 4}, 3), (Rounds{3, 3, 3}));
  EXPECT_EQ(misses_of_rounds(4, {0, 1, 2, 3}, 3), (Rounds{4, 0, 0})) << "memory for every tag";
}

TEST(Rand, SameSeedSameVictimsOtherSeedOthers) {
  SimulationOptions options;
  options.cache = {1, 128, 8, "Rand", "WTNA", "linear", 1};
  std::vector<Transaction> transactions;
  for (int i = 0; i < 4000; ++i)
    transactions.push_back(transaction(static_cast<std::uint64_t>(i * 7 % 11), false));
  const auto misses = [&](std::uint64_t seed) {
    options.cache.seed = seed;
    return simulate(options, {transactions}).total().of(AccessKind::Load).misses;
  };
  EXPECT_EQ(misses(1), misses(1));
  EXPECT_NE(misses(1), misses(2));
}

TEST(Rand, EveryWayIsReplacedEquallyOften) {
  // Lines 0-3 fill the ways; a new line replaces one of the four, so line 0 is gone with probability 1/4
  // (binomial: 4000 trials, standard deviation 27).
  SimulationOptions options;
  std::uint64_t gone = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    options.cache = {1, 256, 4, "Rand", "WTNA", "linear", seed};
    std::vector<Transaction> transactions;
    for (const std::uint64_t line : {0, 1, 2, 3, 4, 0}) transactions.push_back(transaction(line, false));
    gone += simulate(options, {transactions}).total().of(AccessKind::Load).misses - 5;
  }
  EXPECT_NEAR(static_cast<double>(gone), 1000.0, 4 * 27.4);
}

}  // namespace
}  // namespace warpscope::test
