// What stores do, on a fully associative cache of four lines, by hand.
#include <gtest/gtest.h>

#include "simulate.h"

namespace warpscope::test {
namespace {

/// "a" = store to line a, "A" = load of it, "!" before a letter = passes by.
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
