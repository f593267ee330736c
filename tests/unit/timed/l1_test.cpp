// The L1 with outstanding misses, one reference at a time.
#include "timed/memory/l1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope::timed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 2 sets of 2 ways, 4 sectors a line.
L1Config small() {
  L1Config config;
  config.cache.size_kib = 1;
  config.cache.line_bytes = 256;
  config.cache.ways = 2;
  config.cache.sector_bytes = 64;
  config.mshr_entries = 2;
  config.mshr_merges = 2;
  return config;
}

class L1 {
 public:
  explicit L1(const L1Config& config) : l1(config, 1) {}
  bool load(std::uint64_t line, SectorMask sectors, Token token = 0) {
    return l1.load(LineAddr(line), sectors, token, outcome);
  }
  bool store(std::uint64_t line, SectorMask sectors) { return l1.store(LineAddr(line), sectors, outcome); }
  std::vector<Token> fill(std::uint64_t line, SectorMask sectors) {
    std::vector<Token> done;
    l1.fill(LineAddr(line), sectors, done, outcome);
    return done;
  }
  /// Brings sectors in at once.
  void bring(std::uint64_t line, SectorMask sectors) {
    ASSERT_TRUE(load(line, sectors));
    fill(line, outcome.request);
  }
  TimedL1 l1;
  L1Outcome outcome;
};

TEST(TimedL1, SectorsMissHitAndWait) {
  L1 cache(small());
  ASSERT_TRUE(cache.load(4, 0b0011, 7));
  EXPECT_EQ(cache.outcome.miss, 0b0001);  // it brings the tag in
  EXPECT_EQ(cache.outcome.sector_miss, 0b0010);
  EXPECT_EQ(cache.outcome.request, 0b0011);
  ASSERT_TRUE(cache.load(4, 0b0110, 8));  // one on its way, one not asked for
  EXPECT_EQ(cache.outcome.pending, 0b0010);
  EXPECT_EQ(cache.outcome.sector_miss, 0b0100);
  EXPECT_EQ(cache.outcome.request, 0b0100);
  EXPECT_THAT(cache.fill(4, 0b0011), ElementsAre(7));
  EXPECT_THAT(cache.fill(4, 0b0100), ElementsAre(8));
  ASSERT_TRUE(cache.load(4, 0b1111, 9));
  EXPECT_EQ(cache.outcome.hit, 0b0111);
  EXPECT_EQ(cache.outcome.sector_miss, 0b1000);
}

TEST(TimedL1, EntriesAreLimitedAndAFreedOneIsUsedAgain) {
  L1 cache(small());
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_TRUE(cache.load(1, 1));
  EXPECT_FALSE(cache.load(2, 1));
  EXPECT_TRUE(cache.load(0, 1));  // merges: no entry needed
  EXPECT_EQ(cache.l1.outstanding(), 2u);
  cache.fill(1, 1);
  EXPECT_TRUE(cache.load(2, 1));
}

TEST(TimedL1, ARefusedLoadChangesNothing) {
  L1 cache(small());
  cache.bring(0, 1);
  cache.bring(2, 1);  // set 0 full; 0 is older
  EXPECT_TRUE(cache.load(1, 1));
  EXPECT_TRUE(cache.load(3, 1));
  EXPECT_FALSE(cache.load(4, 1));
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_EQ(cache.outcome.hit, 1);
}

TEST(TimedL1, MergesCountTheFirstRequest) {
  L1 cache(small());
  EXPECT_TRUE(cache.load(0, 1, 1));
  EXPECT_TRUE(cache.load(0, 1, 2));
  EXPECT_FALSE(cache.load(0, 1, 3));
  EXPECT_THAT(cache.fill(0, 1), ElementsAre(1, 2));
  EXPECT_TRUE(cache.load(0, 1, 3));
  EXPECT_EQ(cache.outcome.hit, 1);
}

TEST(TimedL1, AWaiterForSeveralFillsIsDoneOnce) {
  L1 cache(small());
  EXPECT_TRUE(cache.load(0, 0b01, 1));
  EXPECT_TRUE(cache.load(0, 0b11, 2));
  EXPECT_THAT(cache.fill(0, 0b10), IsEmpty());
  EXPECT_THAT(cache.fill(0, 0b01), ElementsAre(1, 2));
}

TEST(TimedL1, LinesOnTheirWayStay) {
  L1Config config = small();
  config.mshr_entries = 0;
  L1 cache(config);
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_TRUE(cache.load(2, 1));
  EXPECT_FALSE(cache.load(4, 1));  // both ways of set 0 are taken
  EXPECT_TRUE(cache.load(1, 1));
  cache.fill(2, 1);
  EXPECT_TRUE(cache.load(4, 1));  // 0 is older, but still on its way
  EXPECT_EQ(cache.outcome.victim, LineAddr(2));
  cache.fill(0, 1);
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_EQ(cache.outcome.hit, 1);
}

TEST(TimedL1, AllocateOnFillTakesThePlaceWhenDataArrives) {
  L1Config config = small();
  config.allocate_on_fill = true;
  config.mshr_entries = 0;
  L1 cache(config);
  cache.bring(0, 1);
  cache.bring(2, 1);
  EXPECT_TRUE(cache.load(4, 1));
  EXPECT_FALSE(cache.outcome.evicted);
  EXPECT_TRUE(cache.load(0, 1));  // still there, and newer than 2 now
  EXPECT_EQ(cache.outcome.hit, 1);
  cache.fill(4, 1);
  EXPECT_TRUE(cache.outcome.evicted);
  EXPECT_EQ(cache.outcome.victim, LineAddr(2));
}

TEST(TimedL1, LeastRecentlyUsedLeaves) {
  L1 cache(small());
  cache.bring(0, 1);
  cache.bring(2, 1);
  EXPECT_TRUE(cache.load(0, 1));
  cache.bring(4, 1);
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_EQ(cache.outcome.hit, 1);
  EXPECT_TRUE(cache.load(2, 1));
  EXPECT_EQ(cache.outcome.miss, 1);
}

TEST(TimedL1, AStoreHitsByLineIfItsRequestFoundTheLine) {
  L1Config config = small();
  config.cache.write_policy = "WTWL";
  L1 cache(config);
  cache.l1.begin_request();
  ASSERT_TRUE(cache.store(0, 0b0001));
  EXPECT_EQ(cache.outcome.miss, 0b0001);
  ASSERT_TRUE(cache.store(0, 0b0010));  // the same request: it did not find the line
  EXPECT_EQ(cache.outcome.sector_miss, 0b0010);
  cache.l1.begin_request();
  ASSERT_TRUE(cache.store(0, 0b0111));
  EXPECT_EQ(cache.outcome.hit, 0b0111);  // the last one by line
  ASSERT_TRUE(cache.load(0, 0b1100));
  EXPECT_EQ(cache.outcome.hit, 0b0100);
  EXPECT_EQ(cache.outcome.sector_miss, 0b1000);
  ASSERT_TRUE(cache.store(0, 0b1000));  // on its way: pending, as with other policies
  EXPECT_EQ(cache.outcome.pending, 0b1000);
}

TEST(TimedL1, StoreHitOfWriteEvictRemovesTheLineEvenOnItsWay) {
  L1Config config = small();
  config.cache.write_policy = "WENA";
  config.cache.sector_bytes = 0;  // whole lines
  L1 cache(config);
  cache.bring(0, 0b1);
  EXPECT_TRUE(cache.store(0, 0b1));
  EXPECT_EQ(cache.outcome.hit, 1);
  EXPECT_TRUE(cache.outcome.evicted);
  EXPECT_TRUE(cache.load(0, 0b1, 5));
  EXPECT_EQ(cache.outcome.miss, 1);
  EXPECT_TRUE(cache.store(0, 0b1));
  EXPECT_EQ(cache.outcome.pending, 1);
  EXPECT_THAT(cache.fill(0, 0b1), ElementsAre(5));
  EXPECT_TRUE(cache.load(0, 0b1));
  EXPECT_EQ(cache.outcome.miss, 1);
}

TEST(TimedL1, WriteBackLeavesDirtySectors) {
  L1Config config = small();
  config.cache.write_policy = "WBWA";
  L1 cache(config);
  EXPECT_TRUE(cache.store(0, 0b0101));
  EXPECT_EQ(cache.outcome.miss, 0b0001);
  EXPECT_EQ(cache.outcome.sector_miss, 0b0100);
  EXPECT_TRUE(cache.load(0, 0b0111));
  EXPECT_EQ(cache.outcome.hit, 0b0101);
  cache.fill(0, cache.outcome.request);
  cache.bring(2, 1);
  EXPECT_TRUE(cache.load(4, 1));
  EXPECT_EQ(cache.outcome.victim, LineAddr(0));
  EXPECT_EQ(cache.outcome.write_back, 0b0101);
}

TEST(TimedL1, StoreMissWithoutAllocationChangesNothing) {
  L1 cache(small());
  EXPECT_TRUE(cache.store(0, 1));
  EXPECT_EQ(cache.outcome.miss, 1);
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_EQ(cache.outcome.miss, 1);
}

TEST(TimedL1, AVictimOnItsWayIsPassedOverUntilOneIsNot) {
  L1Config config = small();
  config.cache.ways = 4;
  config.cache.replacement = "FIFO";
  config.mshr_entries = 0;
  L1 cache(config);
  EXPECT_TRUE(cache.load(0, 1));  // first in, and on its way
  EXPECT_TRUE(cache.load(1, 1));  // so is the next
  cache.bring(2, 1);
  cache.bring(3, 1);
  EXPECT_TRUE(cache.load(4, 1));
  EXPECT_EQ(cache.outcome.victim, LineAddr(2));
}

TEST(TimedL1, ASectorMissIsAUseOfTheLine) {
  L1 cache(small());
  cache.bring(0, 0b01);
  cache.bring(2, 0b01);
  cache.bring(0, 0b10);
  EXPECT_TRUE(cache.load(4, 1));
  EXPECT_EQ(cache.outcome.victim, LineAddr(2));
}

// As in cachesim: it changes nothing, so the line stays the oldest of its set and leaves for the next one.
TEST(TimedL1, AStoreThatFindsNoneOfItsSectorsIsNoUseOfTheLine) {
  L1 cache(small());
  cache.bring(0, 0b0001);
  cache.bring(2, 0b0001);
  ASSERT_TRUE(cache.store(0, 0b0010));
  EXPECT_EQ(cache.outcome.sector_miss, 0b0010);
  ASSERT_TRUE(cache.load(4, 0b0001));
  EXPECT_EQ(cache.outcome.victim, LineAddr(0));
}

TEST(TimedL1, ALineRemovedOnItsWayLeavesOnce) {
  L1Config config = small();
  config.cache.write_policy = "WENA";
  config.cache.sector_bytes = 0;
  L1 cache(config);
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_TRUE(cache.store(0, 1));
  EXPECT_TRUE(cache.outcome.evicted);
  EXPECT_TRUE(cache.store(0, 1));
  EXPECT_FALSE(cache.outcome.evicted);
}

TEST(TimedL1, AMergeThatIsDoneMakesRoomForAnother) {
  L1 cache(small());
  EXPECT_TRUE(cache.load(0, 0b01, 1));
  EXPECT_TRUE(cache.load(0, 0b10, 2));
  EXPECT_FALSE(cache.load(0, 0b10, 3));
  EXPECT_THAT(cache.fill(0, 0b01), ElementsAre(1));
  EXPECT_TRUE(cache.load(0, 0b10, 3));
}

TEST(TimedL1, AStoreToASectorOnItsWayMakesItDirty) {
  L1Config config = small();
  config.cache.write_policy = "WBNA";
  L1 cache(config);
  EXPECT_TRUE(cache.load(0, 0b1));
  EXPECT_TRUE(cache.store(0, 0b1));
  EXPECT_EQ(cache.outcome.pending, 0b1);
  cache.fill(0, 0b1);
  cache.bring(2, 1);
  EXPECT_TRUE(cache.load(4, 1));
  EXPECT_EQ(cache.outcome.victim, LineAddr(0));
  EXPECT_EQ(cache.outcome.write_back, 0b1);
}

TEST(TimedL1, InvalidateEmptiesIt) {
  L1 cache(small());
  cache.bring(0, 1);
  cache.l1.invalidate();
  EXPECT_TRUE(cache.load(0, 1));
  EXPECT_EQ(cache.outcome.miss, 1);
}

}  // namespace
}  // namespace warpscope::timed
