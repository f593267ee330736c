// An L2 of two partitions, what the DRAM moves at once, and what a request takes of a slice: request by request.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "timed/memory/memory_system.h"

namespace warpscope::timed {
namespace {

using Kind = MemoryRequest::Kind;

/// Two partitions of one slice, of one set of eight lines; even lines are of partition 0, as even cores are.
MemoryConfig two_parts() {
  MemoryConfig config;
  config.l2_size_kib = 2;
  config.l2_ways = 8;
  config.l2_slices = config.dram_channels = config.l2_partitions = 2;
  config.l2_slice_index = "linear";
  config.l2_bytes_per_cycle = config.dram_bytes_per_cycle = 0;
  config.l2_latency = 101;
  config.l2_far_latency = 40;
  config.dram_latency = 50;
  return config;
}

MemoryRequest request_of(Kind kind, std::uint32_t core, Cycle time, std::uint64_t line,
                         SectorMask sectors = 1) {
  return {time, line, 0, core, 0, sectors, kind, kind != Kind::Store};
}
MemoryRequest load_of(std::uint32_t core, Cycle time, std::uint64_t line, SectorMask sectors = 1) {
  return request_of(Kind::Load, core, time, line, sectors);
}

TEST(L2Parts, AskForWhatTheyHaveNot) {
  MemorySystem memory(two_parts(), 32);
  EXPECT_EQ(memory.serve(load_of(0, 0, 4)), 151u);      // from the DRAM, behind this core's own part
  EXPECT_EQ(memory.serve(load_of(1, 1000, 4)), 1141u);  // from the other part
  EXPECT_EQ(memory.serve(load_of(3, 2000, 4)), 2101u);  // which has it now
  EXPECT_EQ(memory.serve(load_of(2, 3000, 4)), 3101u);  // as the first one still has
  EXPECT_EQ(memory.serve(load_of(0, 4000, 5)), 4151u);  // from the DRAM, behind the other part
  EXPECT_EQ(memory.serve(load_of(0, 5000, 5)), 5101u);  // both have it
  EXPECT_EQ(memory.serve(load_of(1, 6000, 5)), 6101u);
  EXPECT_EQ(memory.counts().l2_load_misses, 2u);
  EXPECT_EQ(memory.counts().l2_load_hits, 5u);
  EXPECT_EQ(memory.counts().l2_far_loads, 2u);
  EXPECT_EQ(memory.counts().dram_read_bytes, 64u);
}

TEST(L2Parts, WaitForWhatIsOnItsWayToTheOther) {
  MemorySystem memory(two_parts(), 32);
  EXPECT_EQ(memory.serve(load_of(0, 0, 4)), 151u);
  EXPECT_EQ(memory.serve(load_of(1, 20, 4)), 161u);  // 40 more than a hit at once
  EXPECT_EQ(memory.serve(load_of(2, 20, 4)), 151u);
  EXPECT_EQ(memory.serve(load_of(1, 21, 4)), 161u);  // on its way to this part
}

TEST(L2Parts, MayTellTheirDramApart) {
  MemorySystem memory(two_parts(), 32);
  memory.tell_dram_apart(true);
  // 151 is between: 40 / 2 less behind the core's own part, as much more behind the other.
  EXPECT_EQ(memory.serve(load_of(0, 0, 4)), 131u);
  EXPECT_EQ(memory.serve(load_of(1, 20, 4)), 171u);  // on its way to the other part: 40 later
  EXPECT_EQ(memory.serve(load_of(0, 4000, 5)), 4171u);
  EXPECT_EQ(memory.serve(load_of(1, 5000, 5)), 5101u);
}

TEST(L2Parts, EachHoldsWhatItsCoresLoad) {
  MemorySystem memory(two_parts(), 32);
  const auto misses_of_a_round = [&](std::uint64_t lines) {
    for (int round = 0; round < 2; ++round) {
      const std::uint64_t before = memory.counts().l2_load_misses + memory.counts().l2_far_loads;
      for (std::uint64_t line = 0; line < lines; ++line) memory.serve(load_of(0, 1000 * line, line));
      if (round == 1) return memory.counts().l2_load_misses + memory.counts().l2_far_loads - before;
    }
    return ~std::uint64_t{0};
  };
  EXPECT_EQ(misses_of_a_round(8), 0u);   // the whole L2 has 16, this part 8
  EXPECT_NE(misses_of_a_round(16), 0u);  // least recently used: none is found
}

TEST(L2Parts, AStoreRemovesTheCopiesOfOthers) {
  MemorySystem memory(two_parts(), 32);
  memory.serve(load_of(0, 0, 4));
  memory.serve(load_of(1, 1000, 4));
  memory.serve(request_of(Kind::Store, 0, 2000, 4));
  EXPECT_EQ(memory.serve(load_of(0, 3000, 4)), 3101u);
  EXPECT_EQ(memory.serve(load_of(1, 4000, 4)), 4141u);
  memory.serve(request_of(Kind::Store, 1, 5000, 4));  // its own copy is as new as the other part's line
  EXPECT_EQ(memory.serve(load_of(1, 6000, 4)), 6101u);
  EXPECT_EQ(memory.serve(request_of(Kind::Atomic, 1, 7000, 4)), 7141u);  // executed where the line is at home
  EXPECT_EQ(memory.serve(load_of(1, 8000, 4)), 8141u);
  EXPECT_EQ(memory.counts().l2_write_backs, 0u);
}

TEST(L2Parts, AreOneWhereNothingIsKnown) {
  MemoryConfig config = two_parts();
  config.l2_partitions = 1;
  MemorySystem memory(config, 32);
  EXPECT_EQ(memory.serve(load_of(0, 0, 4)), 151u);
  EXPECT_EQ(memory.serve(load_of(1, 1000, 4)), 1101u);
  EXPECT_EQ(memory.counts().l2_far_loads, 0u);
}

MemoryConfig one_slice() {
  MemoryConfig config = two_parts();
  config.l2_size_kib = 1;
  config.l2_slices = config.dram_channels = config.l2_partitions = 1;
  return config;
}

/// Ten slices, each of a line; a tenth of the loads takes 24 cycles less than the median, a tenth 40 more.
TEST(L2Slices, AreNearAndFar) {
  MemoryConfig config = two_parts();
  config.l2_partitions = 1;
  config.l2_size_kib = 10;
  config.l2_slices = config.dram_channels = 10;
  config.l2_latency_below = 24;
  config.l2_latency_above = 40;
  MemorySystem memory(config, 32);
  std::set<std::vector<Cycle>> orders;
  for (std::uint32_t core = 0; core < 10; ++core) {
    std::vector<Cycle> taken;
    for (std::uint64_t line = 0; line < 10; ++line) {
      memory.touch(line, 1, false);
      const Cycle begin = 10000 * (core + 1) + 1000 * line;
      taken.push_back(memory.serve(load_of(core, begin, line)) - begin);
    }
    orders.insert(taken);
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken,
              (std::vector<Cycle>{74, 80, 86, 92, 98, 106, 116, 126, 136, 146}));  // 6 and 10 cycles a rank
    EXPECT_GE(taken.front(), config.least_latency());
  }
  EXPECT_EQ(orders.size(), 10u) << "cores have other near slices";
}

TEST(DramPieces, AMissFetchesAWholeOne) {
  MemoryConfig config = one_slice();
  config.dram_access_bytes = 64;
  config.dram_bytes_per_cycle = 32;
  MemorySystem memory(config, 32);
  EXPECT_EQ(memory.serve(load_of(0, 0, 0, 0b0010)), 151u);
  EXPECT_EQ(memory.serve(load_of(0, 0, 1, 0b0101)), 153u);  // behind two sectors
  EXPECT_EQ(memory.serve(load_of(0, 0, 2, 0b0001)), 157u);  // behind two and four
  EXPECT_EQ(memory.serve(load_of(0, 1000, 0, 0b0001)), 1101u);
  EXPECT_EQ(memory.serve(load_of(0, 2000, 0, 0b0100)), 2151u);
  EXPECT_EQ(memory.counts().l2_load_misses, 5u);  // of what was asked for
  EXPECT_EQ(memory.counts().dram_read_bytes, 10u * 32);
}

TEST(DramPieces, AWriteBackTakesAWholeOne) {
  MemoryConfig config = one_slice();
  config.dram_access_bytes = 64;
  config.dram_bytes_per_cycle = 32;
  MemorySystem memory(config, 32);
  for (std::uint64_t line = 0; line < 8; ++line) memory.serve(request_of(Kind::Store, 0, 0, line, 0b1001));
  EXPECT_EQ(memory.serve(load_of(0, 1000, 8)), 1155u);   // behind four sectors
  EXPECT_EQ(memory.counts().dram_write_bytes, 2u * 32);  // of which two are new
}

TEST(L2Requests, TakeASliceAWhile) {
  MemoryConfig config = one_slice();
  config.dram_latency = 0;
  config.l2_bytes_per_cycle = 64;
  config.l2_requests_per_cycle = 0.25;
  MemorySystem memory(config, 32);
  for (std::uint64_t line = 0; line < 4; ++line) memory.serve(request_of(Kind::Store, 0, 0, line, 0b1111));
  EXPECT_EQ(memory.serve(load_of(0, 1000, 0, 0b0001)), 1101u);
  EXPECT_EQ(memory.serve(load_of(0, 1000, 1, 0b1111)), 1105u);
  EXPECT_EQ(memory.serve(load_of(0, 1000, 2, 0b1111)), 1109u);  // 128 bytes take less
  EXPECT_EQ(memory.serve(load_of(0, 2000, 7)), 2101u);  // absent: its data takes the slice a second time
  EXPECT_EQ(memory.serve(load_of(0, 2000, 2)), 2109u);
}

TEST(L2Requests, StoresMayTakeMore) {
  MemoryConfig config = one_slice();
  config.dram_latency = 0;
  config.l2_bytes_per_cycle = 32;
  config.l2_store_cost = 1.5;
  MemorySystem memory(config, 32);
  EXPECT_EQ(memory.serve(request_of(Kind::Store, 0, 0, 0, 0b0011)), 101u);
  EXPECT_EQ(memory.serve(request_of(Kind::Store, 0, 0, 1, 0b1111)), 104u);
  EXPECT_EQ(memory.serve(load_of(0, 0, 0, 0b0011)), 110u);
  EXPECT_EQ(memory.serve(load_of(0, 0, 1, 0b0011)), 112u);
}

}  // namespace
}  // namespace warpscope::timed
