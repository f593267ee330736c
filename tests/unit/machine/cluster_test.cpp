// Clusters of work-groups, executed: what plain loops over the same numbers give.
#include <gmock/gmock.h>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/cubin_program.h"
#include "traces/base/error.h"

namespace warpscope::machine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Words = std::vector<std::uint32_t>;

CubinProgram program(const std::string& kernel) {
  return CubinProgram("executed/clusters_sm90.cubin", kernel);
}

/// As the PTX ISA says of the special registers of clusters.
Words expected_numbers(Dim3 groups, Dim3 size, bool is_explicit, std::uint32_t threads) {
  Words all;
  for (std::uint32_t z = 0; z < groups.z; ++z)
    for (std::uint32_t y = 0; y < groups.y; ++y)
      for (std::uint32_t x = 0; x < groups.x; ++x) {
        const std::uint64_t in[] = {x % size.x, y % size.y, z % size.z};
        for (const std::uint64_t number :
             {x / size.x, y / size.y, z / size.z, groups.x / size.x, groups.y / size.y, groups.z / size.z,
              in[0], in[1], in[2], size.x, size.y, size.z, in[0] + size.x * (in[1] + size.y * in[2]),
              size.count(), std::uint64_t{is_explicit}, size.count() * threads})
          all.push_back(static_cast<std::uint32_t>(number));
      }
  return all;
}

TEST(Cluster, WorkGroupsKnowTheirPlaces) {
  const struct {
    Dim3 groups, size;
  } cases[] = {{{6, 4, 2}, {2, 2, 2}},   {{21, 2, 1}, {7, 1, 1}},  {{15, 9, 2}, {5, 3, 1}},
               {{2, 26, 4}, {1, 13, 1}}, {{3, 2, 16}, {1, 1, 16}}, {{4000, 1, 1}, {10, 1, 1}}};
  for (const auto& [groups, size] : cases) {
    Words out(groups.count() * 16);
    program("numbers").buffer(out).cluster(size).run(groups, {40, 1, 1});
    EXPECT_EQ(out, expected_numbers(groups, size, true, 40)) << size.x << ' ' << size.y << ' ' << size.z;
  }
}

TEST(Cluster, WithoutOneEachWorkGroupIsAlone) {
  Words out(6 * 16);
  program("numbers").buffer(out).run({3, 2, 1}, {32, 1, 1});
  EXPECT_EQ(out, expected_numbers({3, 2, 1}, {1, 1, 1}, false, 32));
}

TEST(Cluster, WorkGroupsSeeEachOthersSharedMemory) {
  constexpr std::uint32_t kWidth = 6, kHeight = 4;
  Words in = numbers_below(kWidth * kHeight * 64, 1U << 20), out(in.size()), expected(in.size());
  const auto group_of = [](std::uint32_t cluster_x, std::uint32_t cluster_y, std::uint32_t rank) {
    return (cluster_y * 2 + rank / 2) * kWidth + cluster_x * 2 + rank % 2;
  };
  for (std::uint32_t cluster = 0; cluster < kWidth / 2 * kHeight / 2; ++cluster)
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      for (std::uint32_t t = 0; t < 64; ++t) {
        const std::uint32_t x = cluster % 3, y = cluster / 3, own = group_of(x, y, rank) * 64;
        const std::uint32_t next = (rank + 1) % 4;
        std::uint32_t sum = 0;
        for (std::uint32_t from = 0; from < 4; ++from)
          sum = sum * 3 + in[group_of(x, y, from) * 64 + 63 - t] + next;
        sum += in[own + t] + rank + 7 * in[own + t % 8];
        expected[own + t] = sum + 1000 + (t % 2 == 0 ? 2000 : 0) + 5000 * (t % 2 == 0 ? rank : next);
      }
  program("everyone").buffer(in).buffer(out).run({kWidth, kHeight, 1}, {64, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST(Cluster, AtomicsReachOthers) {
  Words in = numbers_below(5000, 1U << 20), bins(256), expected(256);
  for (const std::uint32_t x : in) ++expected[x % 256];
  program("histogram").buffer(in).number(std::uint32_t{5000}).buffer(bins).run({12, 1, 1}, {64, 1, 1});
  EXPECT_EQ(bins, expected);
}

TEST(Cluster, TheBarrierHasTwoHalvesAndManyRounds) {
  constexpr std::uint32_t kRounds = 6000, kSize = 3, kGroups = 6;
  Words out(kGroups * 32), x(kGroups * 32);
  for (std::uint32_t i = 0; i < x.size(); ++i) x[i] = i / 32 % kSize * 100 + i % 32;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const Words sent = x;
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      const std::uint32_t group = i / 32, before = group / kSize * kSize + (group + kSize - 1) % kSize;
      x[i] = (x[i] ^ round) * 3 + sent[before * 32 + 31 - i % 32];
    }
  }
  program("around").buffer(out).number(kRounds).cluster({kSize, 1, 1}).run({kGroups, 1, 1}, {32, 1, 1});
  EXPECT_EQ(out, x);
}

TEST(Cluster, TheBarrierDoesNotWaitForThoseThatHaveEnded) {
  Words out(192, 7), expected(192, 7);
  for (std::uint32_t t = 0; t < 96; ++t) expected[t] = 96 + 95 - t;
  for (std::uint32_t t = 0; t < 40; ++t) expected[96 + t] = 95 - t;
  program("leaving").buffer(out).run({2, 1, 1}, {96, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST(Cluster, ArrivalsAtBarriersOfOthers) {
  constexpr std::uint32_t kRounds = 50;
  Words out(3), expected(3);
  for (std::uint32_t cluster = 0; cluster < 3; ++cluster) {
    expected[cluster] = cluster * 4;
    for (std::uint32_t step = 0; step < 4 * kRounds; ++step)
      expected[cluster] = expected[cluster] * 5 + step % 4;
  }
  program("tokens").buffer(out).number(kRounds).run({12, 1, 1}, {32, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST(Cluster, StoresThatReportToBarriersOfOthers) {
  constexpr std::uint32_t kGroups = 6;
  Words in = numbers_below(kGroups * 32 * 7, 1U << 24), out(in.size()), expected(in.size());
  for (std::uint32_t group = 0; group < kGroups; ++group)
    for (std::uint32_t t = 0; t < 32; ++t) {
      const std::uint32_t* from = &in[((group ^ 1U) * 32 + t) * 7];
      std::uint32_t* box = &expected[group * 32 * 7];
      box[t] = from[0];
      for (std::uint32_t i = 0; i < 2; ++i) box[32 + 2 * t + i] = from[1 + i];
      for (std::uint32_t i = 0; i < 4; ++i) box[96 + 4 * t + i] = from[3 + i];
    }
  program("async_stores").buffer(in).buffer(out).run({kGroups, 1, 1}, {32, 1, 1});
  EXPECT_EQ(out, expected);
}

TEST(Cluster, BulkCopiesToOthers) {
  constexpr std::uint32_t kClusters = 3;
  Words in = numbers_below(kClusters * 7 * 64, 1U << 24), out(kClusters * 4 * 3 * 64), expected(out.size());
  for (std::uint32_t cluster = 0; cluster < kClusters; ++cluster)
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      for (std::uint32_t t = 0; t < 64; ++t) {
        const std::uint32_t group = cluster * 4 + rank, before = (rank + 3) % 4;
        // The first work-group copies its own rows, the last one those of three further ones.
        const std::uint32_t first = in[cluster * 4 * 64 + t], last = in[(cluster * 4 + 6) * 64 + t];
        expected[(group * 3 + 0) * 64 + t] = first + rank;
        expected[(group * 3 + 1) * 64 + t] = rank % 2 != 0 ? last : 0;
        expected[(group * 3 + 2) * 64 + t] = first + before;
      }
  program("copies").buffer(in).buffer(out).run({kClusters * 4, 1, 1}, {64, 1, 1});
  EXPECT_EQ(out, expected);
}

void run_wrong(std::uint32_t kind) {
  Words out(4), flag(1);
  program("wrong").buffer(out).buffer(flag).number(kind).run({4, 1, 1}, {1, 1, 1});
}

TEST(Cluster, MemoryOfOnesThatHaveEndedIsNamed) {
  EXPECT_THAT([] { run_wrong(0); },
              ThrowsMessage<ExecutionFault>(AllOf(
                  HasSubstr("'"),
                  HasSubstr("accesses shared memory of work-group 1 of its cluster, which has ended"))));
}

TEST(Cluster, MemoryOfOnesThatAreNotThereIsNamed) {
  EXPECT_THAT(
      [] { run_wrong(1); },
      ThrowsMessage<ExecutionFault>(AllOf(
          HasSubstr("LD.E"), HasSubstr("of shared memory, which has 1040 bytes in each of 2 work-groups"))));
}

TEST(Cluster, DeadlocksAreNamed) {
  EXPECT_THAT([] { run_wrong(3); },
              ThrowsMessage<ExecutionFault>(
                  AllOf(HasSubstr("does not go on"), HasSubstr("read an unchanged value in a loop"),
                        HasSubstr("warp 0, lanes 0x00000001 at the barrier of the cluster before 0x"))));
}

TEST(Cluster, TheLaunchHasToFit) {
  Words out(40 * 16);
  const auto launched = [&](const std::string& kernel, Dim3 size, Dim3 groups) {
    program(kernel).buffer(out).cluster(size).run(groups, {32, 1, 1});
  };
  EXPECT_THAT(
      [&] {
        launched("numbers", {4, 1, 1}, {6, 1, 1});
      },
      ThrowsMessage<InputError>(
          "kernel numbers: 6x1x1 work-groups, expected multiples of its clusters of 4x1x1"));
  EXPECT_THAT(
      [&] {
        launched("numbers", {17, 1, 1}, {17, 1, 1});
      },
      ThrowsMessage<InputError>("kernel numbers: clusters of 17x1x1 work-groups, expected 1 to 16 in all"));
  EXPECT_THAT(
      [&] {
        launched("leaving", {4, 1, 1}, {4, 1, 1});
      },
      ThrowsMessage<InputError>(
          "kernel leaving: clusters of 2x1x1 work-groups, which it is compiled for, not 4x1x1"));
}

TEST(Cluster, CameWithSm90) {
  Words words(4);
  EXPECT_THAT(
      [&] {
        CubinProgram("executed/waits_sm75.cubin", "deadlock")
            .buffer(words)
            .number(0U)
            .cluster({2, 1, 1})
            .run({2, 1, 1}, {64, 1, 1});
      },
      ThrowsMessage<InputError>("kernel deadlock: clusters, which came with sm_90, on sm_75"));
}

}  // namespace
}  // namespace warpscope::machine
