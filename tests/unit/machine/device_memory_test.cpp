// Memory that code asks for, and copies to shared memory that lanes make in part.
#include "machine/execute/base/device_memory.h"

#include <gmock/gmock.h>

#include <cstring>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

using Words = std::vector<std::uint32_t>;

CubinProgram memory_program(std::uint32_t architecture, const std::string& kernel) {
  return CubinProgram("executed/memory_sm" + std::to_string(architecture) + ".cubin", kernel);
}

class DeviceHeap : public testing::TestWithParam<std::uint32_t> {};

TEST_P(DeviceHeap, ListsOfEachThread) {
  constexpr std::uint32_t kThreads = 40, kLength = 11;
  Words out(kThreads), null(1), expected(kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t)
    for (std::uint32_t i = kLength; i-- != 0;)
      if (i % 3 != 2) expected[t] = expected[t] * 7 + i * (t + 1);
  memory_program(GetParam(), "lists")
      .buffer(out)
      .buffer(null)
      .number(kLength)
      .number(16U)
      .run({20, 1, 1}, {kThreads, 1, 1});
  EXPECT_EQ(out, expected);
  EXPECT_EQ(null[0], 0U);
}

// Nodes of 512 KiB, of which two in three stay: of 23 these are 16, which are 8 MiB. There is no memory for another.
TEST_P(DeviceHeap, NoMoreThanEightMebibytes) {
  for (const std::uint32_t length : {23U, 24U}) {
    Words out(32), null(1);
    memory_program(GetParam(), "lists")
        .buffer(out)
        .buffer(null)
        .number(length)
        .number(1U << 19U)
        .run({1, 1, 1}, {1, 1, 1});
    EXPECT_EQ(null[0], length - 23);
  }
}

// As of cudaLimitMallocHeapSize: what fits, fits to the last byte, at multiples of 16, and lies within the heap.
TEST(DeviceHeapPlaces, AllBytesOfTheLimitAndNoneMore) {
  constexpr std::uint64_t kBlocks = 40, kBytes = 1024;
  DeviceMemory memory;
  memory.limit_heap(kBlocks * kBytes);
  EXPECT_EQ(memory.take(0), 0U);
  for (std::uint64_t block = 0; block < kBlocks; ++block)
    EXPECT_EQ(memory.take(kBytes - block % 16), kFirstInHeap + block * kBytes);
  EXPECT_EQ(memory.take(1), 0U);
  EXPECT_EQ(memory.take(~std::uint64_t{0}), 0U);
  memory.limit_heap(2 * kBlocks * kBytes);
  EXPECT_EQ(memory.take(1), 0U);
  EXPECT_TRUE(memory.give_back(kFirstInHeap + 3 * kBytes));
  EXPECT_FALSE(memory.give_back(kFirstInHeap + 3 * kBytes));
  EXPECT_FALSE(memory.give_back(kFirstInHeap + 4 * kBytes + 16));
  EXPECT_TRUE(memory.give_back(kFirstInHeap + 2 * kBytes));
  EXPECT_EQ(memory.take(2 * kBytes), kFirstInHeap + 2 * kBytes);
}

TEST_P(DeviceHeap, MisuseIsNamed) {
  constexpr const char* kMessages[] = {"0 bytes behind the end of memory of malloc (40 bytes)",
                                       "accesses 4 bytes at address 0x300000000004, ",
                                       "frees 0x300000000000, which malloc has not given"};
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    Words out(1);
    EXPECT_THAT(
        [&] {
          memory_program(GetParam(), "misused").buffer(out).number(kind).run({1, 1, 1}, {1, 1, 1});
        },
        testing::ThrowsMessage<ExecutionFault>(testing::HasSubstr(kMessages[kind])));
  }
}

TEST_P(DeviceHeap, ConstantsOf64Bits) {
  std::vector<double> reals(3);
  std::vector<float> singles(2);
  memory_program(GetParam(), "constants").buffer(reals).buffer(singles).run({1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(reals, testing::ElementsAre(0x1.804p63, -0x1.ffp61, 7.0));
  EXPECT_THAT(singles, testing::ElementsAre(0x1p62F, -0x1p62F));
}

INSTANTIATE_TEST_SUITE_P(Architectures, DeviceHeap, testing::Values(75, 80, 90));

class PartialCopies : public testing::TestWithParam<std::uint32_t> {};

TEST_P(PartialCopies, TheRestIsZero) {
  constexpr std::uint32_t kThreads = 64, kLimit = 21;
  Words in = numbers_below(4 * kThreads, 1U << 31), sizes(kThreads), out(5 * kThreads),
        expected(5 * kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    sizes[t] = t % 17;
    std::memcpy(&expected[std::size_t{5} * t], &in[std::size_t{4} * t], sizes[t]);
    expected[5 * t + 4] = t < kLimit ? 0 : in[t];
  }
  memory_program(GetParam(), "parts")
      .buffer(in)
      .buffer(sizes)
      .buffer(out)
      .number(kLimit)
      .run({1, 1, 1}, {kThreads, 1, 1});
  EXPECT_EQ(out, expected);
}

INSTANTIATE_TEST_SUITE_P(Architectures, PartialCopies, testing::Values(80, 90));

}  // namespace
}  // namespace warpscope::machine
