// What stores do, on a fully associative cache of four lines, by hand.
#include <gtest/gtest.h>

#include "simulate.h"

namespace warpscope::test {
namespace {

/// "a" = store to line a, "A" = load of it, "!" before a letter = it bypasses the L1.
Counts run(const std::string& write, const std::string& program) {
  SimulationOptions options;
  options.cache = {1, 256, 4, "LRU", write, "linear", 1};
  options.self_check = true;
  std::vector<Transaction> transactions;
  bool bypass = false;
  for (const char c : program) {
    if (c == '!') {
      bypass = true;
      continue;
    }
    transactions.push_back(
        transaction(static_cast<std::uint64_t>(std::toupper(c)), std::islower(c) != 0, bypass));
    bypass = false;
  }
  return simulate(options, {transactions}).total();
}

TEST(Wtna, StoreMissChangesNothing) {
  const Counts counts = run("WTNA", "aA");
  EXPECT_EQ(counts.of(AccessKind::Store).misses, 1u);
  EXPECT_EQ(counts.of(AccessKind::Load).misses, 1u);
  EXPECT_EQ(counts.classes.cold, 1u);  // of the load: the store would not have brought the line in
  EXPECT_EQ(counts.evictions + counts.write_backs, 0u);
}

TEST(Wtna, StoreHitRefreshesTheLine) {
  // a refreshes A, so E replaces B.
  EXPECT_EQ(run("WTNA", "ABCDaEA").of(AccessKind::Load).hits, 1u);
  EXPECT_EQ(run("WTNA", "ABCDaEB").of(AccessKind::Load).hits, 0u);
}

TEST(Wbwa, DirtyLinesAreWrittenBackWhenEvictedAndOnlyThen) {
  EXPECT_EQ(run("WBWA", "abcd").write_backs, 0u);    // dirty lines left at the end
  EXPECT_EQ(run("WBWA", "abcde").write_backs, 1u);   // a
  EXPECT_EQ(run("WBWA", "ABCDE").write_backs, 0u);   // clean
  EXPECT_EQ(run("WBWA", "AaBCDE").write_backs, 1u);  // made dirty by a hit
  EXPECT_EQ(run("WBWA", "aABCDE").write_backs, 1u);  // a load hit keeps it dirty
  EXPECT_EQ(run("WBWA", "abcde").evictions, 1u);
  EXPECT_EQ(run("WBWA", "aA").of(AccessKind::Load).hits, 1u);
  EXPECT_EQ(run("WBWA", "a").classes.cold, 1u);
}

TEST(Wtwa, StoreMissAllocatesAndNothingIsWrittenBack) {
  const Counts counts = run("WTWA", "aAbcde");
  EXPECT_EQ(counts.of(AccessKind::Load).hits, 1u);
  EXPECT_EQ(counts.evictions, 1u);
  EXPECT_EQ(counts.write_backs, 0u);
}

/// Stores of sectors 0 to 3 of a line, in requests of `together` sectors, after a load of another line of the set.
KindCounts stores_of_a_line(const std::string& write, std::uint64_t together, std::uint32_t ways) {
  SimulationOptions options;
  options.cache = {8, 128, ways, "LRU", write, "linear", 1};
  options.cache.sector_bytes = 32;
  options.self_check = true;
  std::vector<Transaction> transactions = {transaction(400, false)};
  for (std::uint64_t sector = 0; sector < 4; ++sector)
    transactions.push_back(transaction(sector, true, false, sector % together == 0));
  return simulate(options, {transactions}).total().of(AccessKind::Store);
}

TEST(Wtwl, AStoreHitsTheLineThatAnotherRequestBroughtIn) {
  for (const std::uint32_t ways : {4u, 64u}) {  // both tag arrays
    const KindCounts alone = stores_of_a_line("WTWL", 1, ways), pairs = stores_of_a_line("WTWL", 2, ways),
                     whole = stores_of_a_line("WTWL", 4, ways), by_sector = stores_of_a_line("WTWA", 1, ways);
    EXPECT_EQ(alone.hits, 3u);
    EXPECT_EQ(alone.misses, 1u);
    EXPECT_EQ(pairs.hits, 2u);  // of the second request
    EXPECT_EQ(pairs.misses + pairs.sector_misses, 2u);
    EXPECT_EQ(whole.hits, 0u);  // a coalesced store of an absent line: 0 % on a GB10
    EXPECT_EQ(by_sector.hits, 0u);
  }
}

TEST(Wtwl, ALoadHitsOnlySectorsThatAreThere) {
  SimulationOptions options;
  options.cache = {8, 128, 64, "LRU", "WTWL", "linear", 1};
  options.cache.sector_bytes = 32;
  // Load of sector 0; a store of 1 hits the line; loads of 1 and 2: only the first is there.
  const Counts counts =
      simulate(options,
               {{transaction(0, false), transaction(1, true), transaction(1, false), transaction(2, false)}})
          .total();
  EXPECT_EQ(counts.of(AccessKind::Store).hits, 1u);
  EXPECT_EQ(counts.of(AccessKind::Load).hits, 1u);
  EXPECT_EQ(counts.of(AccessKind::Load).sector_misses, 1u);
}

TEST(Wbna, OnlyAHitMakesALineDirty) {
  EXPECT_EQ(run("WBNA", "aA").of(AccessKind::Load).misses, 1u);
  EXPECT_EQ(run("WBNA", "AaBCDE").write_backs, 1u);
  EXPECT_EQ(run("WBNA", "aBCDEF").write_backs, 0u);
}

TEST(Wena, StoreHitRemovesTheLine) {
  const Counts counts = run("WENA", "AaA");
  EXPECT_EQ(counts.of(AccessKind::Store).hits, 1u);
  EXPECT_EQ(counts.of(AccessKind::Load).misses, 2u);
  EXPECT_EQ(counts.evictions, 1u);
  EXPECT_EQ(counts.classes.cold, 1u);
  EXPECT_EQ(counts.classes.invalidated, 1u);
}

TEST(Wena, ARemovedLineLeavesItsWayFree) {
  // After a, B C D and E fit in four ways: only A had to leave.
  const Counts counts = run("WENA", "ABCDaEBCD");
  EXPECT_EQ(counts.of(AccessKind::Load).hits, 3u);
  EXPECT_EQ(counts.evictions, 1u);
}

TEST(Wena, InvalidatedOnlyUntilTheLineIsBack) {
  // A comes back (invalidated), is pushed out by B C D E, and then misses for capacity.
  const Counts counts = run("WENA", "AaABCDEA");
  EXPECT_EQ(counts.classes.invalidated, 1u);
  EXPECT_EQ(counts.classes.capacity, 1u);
}

TEST(Bypass, PassesByAndLeavesEverythingAsItIs) {
  const Counts counts = run("WENA", "A!a!AA");
  EXPECT_EQ(counts.of(AccessKind::Load).hits, 1u);
  EXPECT_EQ(counts.of(AccessKind::Load).bypasses, 1u);
  EXPECT_EQ(counts.of(AccessKind::Store).bypasses, 1u);
  EXPECT_EQ(counts.of(AccessKind::Load).transactions, 3u);
}

TEST(MissClasses, AntiConflictIsAHitThatTheShadowMisses) {
  SimulationOptions options;
  options.cache = {1, 128, 1, "LRU", "WTNA", "linear", 1};  // eight lines, direct mapped
  // Line 0, then eight lines of other sets' numbers 1..7 and 9 (set 1): the shadow has pushed line 0 out, its
  // set not.
  std::vector<Transaction> transactions = {transaction(0, false)};
  for (const std::uint64_t line : {1, 2, 3, 4, 5, 6, 7, 9}) transactions.push_back(transaction(line, false));
  transactions.push_back(transaction(0, false));
  const Counts counts = simulate(options, {transactions}).total();
  EXPECT_EQ(counts.classes.anti_conflict, 1u);
  EXPECT_EQ(counts.classes.cold, 9u);
  EXPECT_EQ(counts.of(AccessKind::Load).hits, 1u);
}

TEST(Launches, InvalidateTheCacheAndStartTheClassesAfresh) {
  SimulationOptions options;
  options.cache = {1, 128, 8, "LRU", "WBWA", "linear", 1};
  const std::vector<Transaction> one = {transaction(1, true), transaction(1, false)};
  const Counts apart = simulate(options, {one, one}).total();
  EXPECT_EQ(apart.classes.cold, 2u);
  EXPECT_EQ(apart.write_backs, 0u);
  options.keep_l1 = true;
  EXPECT_EQ(simulate(options, {one, one}).total().classes.cold, 1u);
}

}  // namespace
}  // namespace warpscope::test
