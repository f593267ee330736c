#include "cachesim/l1/event.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace warpscope {
namespace {

TEST(PackedEvent, KeepsEventAndVictimApart) {
  for (unsigned event = 0; event < kEvents; ++event)
    for (const Victim victim : {Victim::None, Victim::Clean, Victim::Dirty}) {
      const std::uint8_t packed = pack(static_cast<Event>(event), victim);
      EXPECT_LT(packed, kPackedEvents);
      EXPECT_EQ(packed & kFirstSlot, 0);
      EXPECT_EQ(event_of(packed), static_cast<Event>(event));
      EXPECT_EQ(victim_of(packed), victim);
    }
}

TEST(EventCounts, AreByOriginAndByWhetherItIsTheFirstOfItsRequest) {
  const std::uint8_t packed = pack(Event::PassingSectorMiss, Victim::Dirty);
  for (std::uint16_t origin = 0; origin < 3; ++origin)
    for (const bool first : {false, true}) {
      std::vector<EventCounts> rows(3);
      count_event(rows.data(),
                  {LineAddr(Transaction::kMaxLine), OriginId(origin), AccessKind::Atomic, true, first},
                  packed);
      EXPECT_EQ(rows[origin][packed | (first ? kFirstSlot : 0)], 1u);
      for (std::uint16_t other = 0; other < 3; ++other)
        EXPECT_EQ(std::accumulate(rows[other].begin(), rows[other].end(), std::uint64_t{0}), other == origin);
    }
}

TEST(Transaction, StoresAndWhatBypassesHaveBitsThatLoadsAndAtomicsHaveNot) {
  const auto bits = [](AccessKind kind, bool bypass) {
    const Transaction transaction(LineAddr(Transaction::kMaxLine), OriginId(0xFFFF), kind, bypass, true);
    return transaction.bits() & Transaction::kStoreOrBypass;
  };
  EXPECT_EQ(bits(AccessKind::Load, false), 0u);
  EXPECT_EQ(bits(AccessKind::Atomic, false), 0u);
  EXPECT_NE(bits(AccessKind::Store, false), 0u);
  EXPECT_NE(bits(AccessKind::Load, true), 0u);
  EXPECT_NE(bits(AccessKind::Atomic, true), 0u);
}

}  // namespace
}  // namespace warpscope
