// L2 and DRAM, request by request.
#include "timed/memory/memory_system.h"

#include <gtest/gtest.h>

#include <array>

namespace warpscope::timed {
namespace {

/// One slice of one set of two lines of four 32-byte sectors; no limit on bandwidth.
MemoryConfig tiny() {
  MemoryConfig config;
  config.l2_size_kib = 1;
  config.l2_ways = 8;
  config.l2_slices = config.dram_channels = 1;
  config.l2_bytes_per_cycle = 0;
  config.dram_bytes_per_cycle = 0;
  config.l2_latency = 101;
  config.dram_latency = 50;
  return config;
}

MemoryRequest load(Cycle time, std::uint64_t line, SectorMask sectors) {
  return {time, line, 0, 0, 0, sectors, MemoryRequest::Kind::Load, true};
}

TEST(MemorySystem, MissTakesDramAndAHitDoesNot) {
  MemorySystem memory(tiny(), 32);
  EXPECT_EQ(memory.serve(load(0, 5, 0b1)), 151u);
  EXPECT_EQ(memory.serve(load(1000, 5, 0b1)), 1101u);
  EXPECT_EQ(memory.serve(load(2000, 5, 0b11)), 2151u);  // a sector that was not fetched
  EXPECT_EQ(memory.counts().l2_load_hits, 2u);
  EXPECT_EQ(memory.counts().l2_load_misses, 2u);
  EXPECT_EQ(memory.counts().dram_read_bytes, 64u);
}

TEST(MemorySystem, ASectorOnItsWayIsWaitedFor) {
  MemorySystem memory(tiny(), 32);
  EXPECT_EQ(memory.serve(load(0, 5, 0b1)), 151u);   // reaches the L2 in 50, data there in 100
  EXPECT_EQ(memory.serve(load(10, 5, 0b1)), 151u);  // in 60: the same data
  EXPECT_EQ(memory.serve(load(49, 5, 0b1)), 151u);  // in 99
  EXPECT_EQ(memory.serve(load(50, 5, 0b1)), 151u);  // in 100: a hit
  EXPECT_EQ(memory.counts().l2_load_pending, 2u);
  EXPECT_EQ(memory.counts().l2_load_hits, 1u);
  EXPECT_EQ(memory.counts().dram_read_bytes, 32u);
}

TEST(MemorySystem, LeastRecentlyUsedLineLeavesAndIsWrittenBack) {
  MemorySystem memory(tiny(), 32);
  memory.serve({0, 0, 0, 0, 0, 0b101, MemoryRequest::Kind::Store, false});
  for (std::uint64_t line = 1; line < 8; ++line) memory.serve(load(line * 1000, line, 1));
  EXPECT_EQ(memory.counts().l2_write_backs, 0u);
  memory.serve(load(9000, 8, 1));  // the ninth line
  EXPECT_EQ(memory.counts().l2_write_backs, 2u);
  EXPECT_EQ(memory.counts().dram_write_bytes, 64u);
  EXPECT_EQ(memory.serve(load(10000, 1, 1)), 10101u);
  EXPECT_EQ(memory.serve(load(11000, 0, 1)), 11151u);
}

TEST(MemorySystem, WhatIsWrittenMayGoOnToTheDramAtOnce) {
  MemoryConfig config = tiny();
  config.dram_bytes_per_cycle = 1;
  config.l2_writes_through = true;
  config.dram_access_bytes = 64;
  MemorySystem memory(config, 32);
  const auto store = [&](Cycle time, SectorMask sectors) {
    memory.serve({time, 0, 0, 0, 0, sectors, MemoryRequest::Kind::Store, false});
  };
  store(0, 0b1);   // in 50; the DRAM is busy until 114, with a piece of two sectors
  store(10, 0b1);  // there already
  store(20, 0b10);
  EXPECT_EQ(memory.counts().dram_write_bytes, 64u);
  EXPECT_EQ(memory.serve(load(20, 1, 1)), 20u + 101 + 44 + 50) << "in 70, so 44 cycles behind them";
  for (std::uint64_t line = 2; line < 10; ++line) memory.serve(load(line * 1000, line, 1));
  EXPECT_EQ(memory.counts().dram_write_bytes, 64u) << "nothing when it leaves";
  store(20000, 0b1);
  EXPECT_EQ(memory.counts().dram_write_bytes, 96u) << "again, as it was not there any more";
  memory.serve({30000, 20, 0, 0, 0, 0b1, MemoryRequest::Kind::Atomic, true});
  EXPECT_EQ(memory.counts().l2_write_backs, 4u);
}

TEST(MemorySystem, NoLaunchMovesMoreThanTheDramCan) {
  MemoryConfig config = tiny();
  EXPECT_EQ(config.least_cycles(640), 0u) << "without a limit";
  config.dram_bytes_per_cycle = 2;
  config.dram_channels = 4;
  EXPECT_EQ(config.least_cycles(640), 80u);
}

TEST(MemorySystem, StoresMakeSectorsPresent) {
  MemorySystem memory(tiny(), 32);
  memory.serve({0, 3, 0, 0, 0, 0b1, MemoryRequest::Kind::Store, false});
  EXPECT_EQ(memory.serve(load(100, 3, 0b1)), 201u);
  EXPECT_EQ(memory.counts().l2_store_misses, 1u);
}

TEST(MemorySystem, AnAtomicLeavesItsSectorsDirty) {
  MemorySystem memory(tiny(), 32);
  memory.serve({0, 0, 0, 0, 0, 0b1, MemoryRequest::Kind::Atomic, true});
  for (std::uint64_t line = 1; line < 9; ++line) memory.serve(load(line * 1000, line, 1));
  EXPECT_EQ(memory.counts().l2_atomics, 1u);
  EXPECT_EQ(memory.counts().l2_write_backs, 1u);
}

TEST(MemorySystem, OperationsOnOneWordFollowEachOther) {
  MemoryConfig config = tiny();
  config.l2_bytes_per_cycle = 32;
  config.dram_latency = 0;
  MemorySystem memory(config, 32);
  MemoryRequest sum{0, 1, 0, 0, 0, 0b1, MemoryRequest::Kind::Atomic, true};
  EXPECT_EQ(memory.serve(sum), 101u);
  sum.operations = 32;
  EXPECT_EQ(memory.serve(sum),
            102u + 31);  // begins in cycle 1 of the slice's port, and ends with the last operation
  EXPECT_EQ(memory.serve(load(0, 1, 1)), 134u);  // behind all 33
}

TEST(MemorySystem, ASliceMovesItsBytesInTurn) {
  MemoryConfig config = tiny();
  config.l2_bytes_per_cycle = 32;
  config.dram_latency = 0;
  MemorySystem memory(config, 32);
  EXPECT_EQ(memory.serve(load(0, 1, 0b1111)), 101u);
  EXPECT_EQ(memory.serve(load(0, 2, 0b1)), 105u);
  EXPECT_EQ(memory.serve(load(0, 3, 0b1)), 106u);
  EXPECT_EQ(memory.serve(load(500, 4, 0b1)), 601u);
}

TEST(MemorySystem, ANewLaunchMayFindItEmpty) {
  MemorySystem memory(tiny(), 32);
  memory.serve(load(0, 5, 1));
  memory.begin_launch(true);
  EXPECT_EQ(memory.serve(load(1000, 5, 1)), 1101u);
  memory.begin_launch(false);
  EXPECT_EQ(memory.serve(load(2000, 5, 1)), 2151u);
}

/// Four slices that move a sector per cycle and have what they are asked for.
MemoryConfig four_slices() {
  MemoryConfig config = tiny();
  config.l2_size_kib = 4;
  config.l2_slices = config.dram_channels = 4;
  config.l2_bytes_per_cycle = 32;
  config.dram_latency = 0;
  return config;
}

TEST(MemorySystem, SlicesAndSetsByANamedFunction) {
  MemoryConfig config = four_slices();
  config.l2_ways = 2;  // and four sets
  config.l2_slice_index = config.l2_set_index = "linear";
  MemorySystem memory(config, 32);
  EXPECT_EQ(memory.serve(load(0, 0, 0b1111)), 101u);
  EXPECT_EQ(memory.serve(load(0, 1, 0b1111)), 101u);
  EXPECT_EQ(memory.serve(load(0, 4, 0b1111)), 105u);  // slice 0, too
  // Slice 0, set 0 has lines 0, 16, 32, …: the third is one too many; line 4 is in set 1.
  memory.serve(load(1000, 16, 1));
  memory.serve(load(2000, 32, 1));
  memory.serve(load(3000, 4, 1));
  EXPECT_EQ(memory.counts().l2_load_hits, 1u);
  memory.serve(load(4000, 0, 1));
  EXPECT_EQ(memory.counts().l2_load_hits, 1u);
}

TEST(MemorySystem, IpolySlices) {
  MemoryConfig config = four_slices();
  config.l2_slice_index = "ipoly";
  MemorySystem memory(config, 32);
  // Remainders by x^2 + x + 1: x^2 is x + 1, so line 4 is in slice 3; line 7 is the polynomial itself, slice
  // 0.
  EXPECT_EQ(memory.serve(load(0, 3, 0b1111)), 101u);
  EXPECT_EQ(memory.serve(load(0, 4, 0b1111)), 105u);
  EXPECT_EQ(memory.serve(load(0, 0, 0b1111)), 101u);
  EXPECT_EQ(memory.serve(load(0, 7, 0b1111)), 105u);
}

TEST(MemorySystem, ASliceUsesItsOwnChannel) {
  MemoryConfig config = tiny();
  config.l2_slices = 4;
  config.l2_ways = 1;
  config.dram_channels = 2;  // slices 0 and 1 have the first
  config.l2_slice_index = "linear";
  config.dram_bytes_per_cycle = 32;
  MemorySystem memory(config, 32);
  EXPECT_EQ(memory.serve(load(0, 0, 0b1111)), 151u);
  EXPECT_EQ(memory.serve(load(0, 2, 0b1111)), 151u);
  EXPECT_EQ(memory.serve(load(0, 1, 0b1111)), 155u);
  EXPECT_EQ(memory.serve(load(0, 3, 0b1111)), 155u);
}

TEST(MemorySystem, LinesSpreadOverSlicesWhateverTheirStride) {
  for (const std::uint64_t stride : {1, 2, 8, 64, 1024, 65536}) {
    MemoryConfig config = tiny();
    config.l2_size_kib = 1024;
    config.l2_slices = 16;
    config.l2_bytes_per_cycle = 128;
    config.dram_latency = 0;
    MemorySystem memory(config, 32);
    Cycle last = 0;
    for (std::uint64_t i = 0; i < 1600; ++i) last = std::max(last, memory.serve(load(0, i * stride, 0b1111)));
    // A fair share is 100 lines per slice, a cycle each; a hash gives about 100 ± 10, four of them 140.
    EXPECT_LT(last, 101u + 140u) << stride;
  }
}

TEST(MemoryCounts, AddCounterByCounter) {
  MemoryCounts sum{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  sum += {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130};
  const auto [shared_hits, shared_pending, shared_misses, load_hits, load_pending, load_misses, far_loads,
              store_hits, store_misses, atomics, write_backs, read, written] = sum;
  EXPECT_EQ((std::array{shared_hits, shared_pending, shared_misses, load_hits, load_pending, load_misses,
                        far_loads, store_hits, store_misses, atomics, write_backs, read, written}),
            (std::array<std::uint64_t, 13>{11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121, 132, 143}));
}

/// tiny() behind caches of eight lines that two cores share.
MemoryConfig with_shared_l1() {
  MemoryConfig config = tiny();
  config.shared_l1 = {1, 8, 2, 0, 41};
  return config;
}
MemoryRequest of_core(std::uint32_t core, MemoryRequest request) {
  request.core = core;
  return request;
}

TEST(SharedL1, ServesTheCoresThatShareIt) {
  MemorySystem memory(with_shared_l1(), 32);
  EXPECT_EQ(memory.serve(of_core(0, load(0, 5, 1))), 151u) << "as without it";
  EXPECT_EQ(memory.serve(of_core(1, load(1000, 5, 1))), 1041u);
  EXPECT_EQ(memory.serve(of_core(2, load(2000, 5, 1))), 2101u) << "another's, which asks the L2";
  EXPECT_EQ(memory.serve(of_core(3, load(3000, 5, 0b11))), 3151u) << "one sector of two";
  EXPECT_EQ(memory.counts().shared_l1_load_hits, 2u);
  EXPECT_EQ(memory.counts().shared_l1_load_misses, 3u);
  EXPECT_EQ(memory.counts().l2_load_hits, 1u);
  EXPECT_EQ(memory.counts().l2_load_misses, 2u);
}

TEST(SharedL1, MergesWhatIsOnItsWay) {
  MemorySystem memory(with_shared_l1(), 32);
  EXPECT_EQ(memory.serve(of_core(0, load(0, 5, 1))), 151u);
  EXPECT_EQ(memory.serve(of_core(1, load(10, 5, 1))), 151u);
  EXPECT_EQ(memory.serve(of_core(1, load(131, 5, 1))), 172u) << "reaches it in cycle 151";
  EXPECT_EQ(memory.counts().shared_l1_load_pending, 1u);
  EXPECT_EQ(memory.counts().l2_load_misses, 1u);
}

TEST(SharedL1, LosesALineToAStoreThatPasses) {
  MemorySystem memory(with_shared_l1(), 32);
  for (const std::uint32_t core : {0u, 2u}) memory.serve(of_core(core, load(0, 5, 1)));
  memory.serve(of_core(1, {1000, 5, 0, 0, 0, 1, MemoryRequest::Kind::Store, false}));
  EXPECT_EQ(memory.serve(of_core(0, load(2000, 5, 1))), 2101u);
  EXPECT_EQ(memory.serve(of_core(2, load(3000, 5, 1))), 3041u) << "the other cache does not see it";
}

TEST(SharedL1, LosesTheLeastRecentlyUsedLineAndAllAtALaunch) {
  MemorySystem memory(with_shared_l1(), 32);
  for (std::uint64_t line = 0; line < 8; ++line) memory.serve(load(line * 1000, line, 1));
  EXPECT_EQ(memory.serve(load(8000, 0, 1)), 8041u);
  memory.serve(load(9000, 8, 1));
  EXPECT_EQ(memory.serve(load(10000, 0, 1)), 10041u);
  EXPECT_GT(memory.serve(load(11000, 1, 1)), 11100u);
  memory.begin_launch(true);
  EXPECT_EQ(memory.serve(load(12000, 1, 1)), 12101u) << "from the L2, which keeps it";
}

TEST(SharedL1, DeliversSoManyBytesPerCycle) {
  MemoryConfig config = with_shared_l1();
  config.shared_l1.bytes_per_cycle = 8;
  MemorySystem memory(config, 32);
  memory.serve(load(0, 5, 1));
  EXPECT_EQ(memory.serve(of_core(0, load(1000, 5, 1))), 1041u);
  EXPECT_EQ(memory.serve(of_core(1, load(1000, 5, 1))), 1045u);
  // One that misses waits there, too, before it goes on.
  EXPECT_EQ(memory.serve(of_core(1, load(1000, 6, 1))), 1159u);
}

}  // namespace
}  // namespace warpscope::timed
