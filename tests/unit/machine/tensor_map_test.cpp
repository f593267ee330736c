// Copies by tensor maps, against the formulas of the CUDA C++ Programming Guide ("Using TMA to transfer multi-dimensional arrays", swizzles as
// indices of 16 bytes) and the PTX ISA ("Tensors"), element by element.
#include "machine/execute/base/tensor_map.h"

#include <gmock/gmock.h>

#include <bit>
#include <cstring>
#include <functional>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

constexpr unsigned kMostOfTensors = TensorMap::kMostDimensions;
using Type = TensorMap::Type;

/// A tensor, the box that is copied, and where it begins.
struct TensorCase {
  const char* name;
  unsigned dimensions;
  std::array<std::uint64_t, kMostOfTensors> size;
  std::array<std::uint32_t, kMostOfTensors> box, step;
  std::array<int, kMostOfTensors> at;
  Type type;
  unsigned swizzle;
  bool nan;
  unsigned gap;  ///< bytes between rows
};

TensorMap map_of(const TensorCase& c) {
  TensorMap map;
  map.type = c.type;
  map.dimensions = c.dimensions;
  map.swizzle = c.swizzle;
  map.is_filled_by_nan = c.nan;
  std::uint64_t next = (c.size[0] * map.element_bytes() + 15) / 16 * 16 + c.gap;
  for (unsigned d = 0; d < c.dimensions; ++d) {
    map.size[d] = c.size[d];
    map.box[d] = c.box[d];
    map.step[d] = c.step[d];
    if (d > 0) map.stride[d - 1] = next;
    if (d > 0) next *= c.size[d];
  }
  return map;
}

std::uint64_t bytes_of(const TensorMap& map) {
  const unsigned d = map.dimensions;
  return d == 1 ? (map.size[0] * map.element_bytes() + 15) / 16 * 16 : map.stride[d - 2] * map.size[d - 1];
}

/// Where byte `offset` of the box is: as the guide's tables have it, in chunks of 16 bytes of rows as wide as the swizzle.
std::uint64_t swizzled(std::uint64_t offset, unsigned swizzle) {
  if (swizzle == 0) return offset;
  const std::uint64_t width = 16U << swizzle, row = offset / width, chunk = offset % width / 16;
  const std::uint64_t turn = swizzle == 3 ? row % 8 : swizzle == 2 ? row / 2 % 4 : row / 4 % 2;
  return row * width + (chunk ^ turn) * 16 + offset % 16;
}

/// Calls f(place in shared memory, place in the tensor or -1) for each element of the box.
template <class F>
void for_each_element(const TensorMap& map, const TensorCase& c, F f) {
  std::array<std::uint64_t, kMostOfTensors> counts{1, 1, 1, 1, 1};
  std::uint64_t elements = 1;
  for (unsigned d = 0; d < map.dimensions; ++d) {
    counts[d] = d == 0 ? c.box[0] : (c.box[d] + c.step[d] - 1) / c.step[d];
    elements *= counts[d];
  }
  for (std::uint64_t number = 0; number < elements; ++number) {
    std::uint64_t rest = number;
    std::int64_t place = 0;
    bool inside = true;
    for (unsigned d = 0; d < map.dimensions; ++d) {
      const auto index = static_cast<std::int64_t>(rest % counts[d]);
      rest /= counts[d];
      const std::int64_t x = c.at[d] + index * (d == 0 ? 1 : c.step[d]);
      inside = inside && x >= 0 && x < static_cast<std::int64_t>(c.size[d]);
      place += x * static_cast<std::int64_t>(d == 0 ? map.element_bytes() : map.stride[d - 1]);
    }
    f(swizzled(number * map.element_bytes(), c.swizzle), inside ? place : -1);
  }
}

std::vector<std::uint8_t> numbered(std::uint64_t bytes) {
  std::vector<std::uint8_t> values(bytes);
  std::uint32_t state = 99;
  for (std::uint8_t& value : values)
    value = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return values;
}

std::vector<int> start_of(const TensorCase& c) {
  return {c.at.begin(), c.at.end()};
}

std::uint64_t box_bytes(const TensorMap& map, const TensorCase& c) {
  std::uint64_t bytes = 0;
  for_each_element(map, c, [&](std::uint64_t, std::int64_t) { bytes += map.element_bytes(); });
  return bytes;
}

constexpr std::uint64_t kShared = 100 * 1024;

CubinProgram tensors(const std::string& kernel) {
  return CubinProgram("executed/tensors_sm90a.cubin", kernel);
}

class Tensors : public testing::TestWithParam<TensorCase> {};

TEST_P(Tensors, AreLoaded) {
  const TensorCase& c = GetParam();
  TensorMap map = map_of(c);
  std::vector<std::uint8_t> memory = numbered(bytes_of(map));
  const std::uint64_t bytes = box_bytes(map, c);
  std::vector<std::uint8_t> out(bytes), expected(bytes);
  const unsigned size = map.element_bytes();
  for_each_element(map, c, [&](std::uint64_t to, std::int64_t from) {
    std::uint8_t element[8];
    std::memset(element, c.nan ? 0xff : 0, 8);
    if (c.nan) element[size - 1] = 0x7f;
    if (from >= 0) std::memcpy(element, &memory[static_cast<std::size_t>(from)], size);
    std::memcpy(&expected[to], element, size);
  });
  CubinProgram run = tensors("load_" + std::to_string(c.dimensions));
  map.address = run.place(memory);
  std::vector<int> at = start_of(c);
  run.number(map.encode()).buffer(at).buffer(out).number(static_cast<std::uint32_t>(bytes));
  run.run({1, 1, 1}, {64, 1, 1}, kShared);
  EXPECT_EQ(out, expected);
}

TEST_P(Tensors, AreStored) {
  const TensorCase& c = GetParam();
  if (c.nan) return;
  TensorMap map = map_of(c);
  const std::uint64_t bytes = box_bytes(map, c);
  std::vector<std::uint8_t> in = numbered(bytes), memory(bytes_of(map), 7), expected = memory;
  for_each_element(map, c, [&](std::uint64_t from, std::int64_t to) {
    if (to >= 0) std::memcpy(&expected[static_cast<std::size_t>(to)], &in[from], map.element_bytes());
  });
  CubinProgram run = tensors("store_" + std::to_string(c.dimensions));
  map.address = run.place(memory);
  std::vector<int> at = start_of(c);
  run.number(map.encode()).buffer(at).buffer(in).number(static_cast<std::uint32_t>(bytes));
  run.run({1, 1, 1}, {64, 1, 1}, kShared);
  EXPECT_EQ(memory, expected);
}

using Sizes = std::array<std::uint64_t, kMostOfTensors>;
constexpr std::array<std::uint32_t, kMostOfTensors> kNoSteps{1, 1, 1, 1, 1};

INSTANTIATE_TEST_SUITE_P(
    , Tensors,
    testing::Values(
        TensorCase{"One", 1, Sizes{1000}, {256}, kNoSteps, {64}, Type::F32, 0, false, 0},
        TensorCase{"OneBehindTheEnd", 1, Sizes{1000}, {256}, kNoSteps, {900}, Type::U32, 0, false, 0},
        TensorCase{"OneBeforeTheBegin", 1, Sizes{1000}, {128}, kNoSteps, {-13}, Type::U16, 0, false, 0},
        TensorCase{"OneOfBytes", 1, Sizes{1003}, {256}, kNoSteps, {771}, Type::U8, 0, false, 0},
        TensorCase{"OneSwizzled", 1, Sizes{300}, {32}, kNoSteps, {5}, Type::U8, 1, false, 0},
        TensorCase{"Two", 2, Sizes{100, 60}, {32, 40}, kNoSteps, {8, 3}, Type::U32, 0, false, 0},
        TensorCase{"TwoSwizzledBy32", 2, Sizes{100, 60}, {8, 50}, kNoSteps, {8, 3}, Type::F32, 1, false, 16},
        TensorCase{
            "TwoSwizzledBy64", 2, Sizes{100, 60}, {32, 50}, kNoSteps, {9, 3}, Type::BF16, 2, false, 48},
        TensorCase{"TwoSwizzledBy128", 2, Sizes{100, 60}, {64, 50}, kNoSteps, {3, 1}, Type::F16, 3, false, 0},
        TensorCase{
            "TwoSwizzledBy128Doubles", 2, Sizes{100, 60}, {16, 33}, kNoSteps, {3, 1}, Type::F64, 3, false, 0},
        TensorCase{"TwoAtACorner", 2, Sizes{100, 60}, {64, 50}, kNoSteps, {-20, -7}, Type::F16, 3, false, 0},
        TensorCase{
            "TwoAtTheOtherCorner", 2, Sizes{100, 60}, {64, 50}, kNoSteps, {71, 33}, Type::F16, 3, true, 0},
        TensorCase{"TwoOutside", 2, Sizes{100, 60}, {64, 20}, kNoSteps, {5, 60}, Type::F32, 0, true, 0},
        TensorCase{
            "TwoWithSteps", 2, Sizes{100, 60}, {32, 41}, {3, 3, 1, 1, 1}, {7, 2}, Type::S32, 3, false, 0},
        TensorCase{"Three", 3, Sizes{40, 20, 9}, {16, 8, 5}, kNoSteps, {-4, 15, 6}, Type::U64, 3, false, 32},
        TensorCase{"ThreeWithSteps",
                   3,
                   Sizes{40, 20, 30},
                   {16, 8, 20},
                   {1, 2, 7, 1, 1},
                   {1, 3, 6},
                   Type::S32,
                   2,
                   false,
                   0},
        TensorCase{
            "Four", 4, Sizes{33, 7, 6, 5}, {32, 4, 3, 5}, kNoSteps, {2, 1, -1, 1}, Type::F16, 2, true, 16},
        TensorCase{"Five",
                   5,
                   Sizes{24, 5, 4, 3, 4},
                   {8, 3, 3, 2, 4},
                   kNoSteps,
                   {1, -1, 2, 1, 1},
                   Type::F32,
                   1,
                   false,
                   0},
        TensorCase{"FiveWithSteps",
                   5,
                   Sizes{24, 9, 4, 9, 4},
                   {32, 5, 2, 8, 3},
                   {1, 2, 1, 3, 8},
                   {-5, 0, 1, 2, -1},
                   Type::F32,
                   3,
                   false,
                   0}),
    [](const auto& one) { return one.param.name; });

TEST(TensorMaps, ReductionsAreOfEachElement) {
  const TensorCase c{"", 2, Sizes{50, 40}, {32, 20}, kNoSteps, {30, -3}, Type::S32, 3, false, 0};
  TensorMap map = map_of(c);
  for (const std::string how : {"add", "max", "xor"}) {
    std::vector<std::uint8_t> in = numbered(box_bytes(map, c)), memory = numbered(bytes_of(map) + 1);
    memory.erase(memory.begin());
    std::vector<std::uint8_t> expected = memory;
    for_each_element(map, c, [&](std::uint64_t from, std::int64_t to) {
      if (to < 0) return;
      std::int32_t a = 0, b = 0;
      std::memcpy(&a, &expected[static_cast<std::size_t>(to)], 4);
      std::memcpy(&b, &in[from], 4);
      if (how == "add")
        a = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
      if (how == "max") a = std::max(a, b);
      if (how == "xor") a ^= b;
      std::memcpy(&expected[static_cast<std::size_t>(to)], &a, 4);
    });
    CubinProgram run = tensors("reduce_" + how);
    map.address = run.place(memory);
    std::vector<int> at = start_of(c);
    run.number(map.encode()).buffer(at).buffer(in).number(static_cast<std::uint32_t>(in.size()));
    run.run({1, 1, 1}, {96, 1, 1}, kShared);
    EXPECT_EQ(memory, expected) << how;
  }
}

TEST(TensorMaps, HalvesAreAdded) {
  const TensorCase c{"", 2, Sizes{16, 4}, {8, 2}, kNoSteps, {4, 1}, Type::F16, 0, false, 0};
  TensorMap map = map_of(c);
  std::vector<std::uint16_t> in(16, 0x4000), memory(64, 0x3c00), expected = memory;  // 2, 1
  for_each_element(
      map, c, [&](std::uint64_t, std::int64_t to) { expected[static_cast<std::size_t>(to) / 2] = 0x4200; });
  CubinProgram run = tensors("reduce_add");
  map.address = run.place(memory);
  std::vector<int> at = start_of(c);
  run.number(map.encode()).buffer(at).buffer(in).number(32U).run({1, 1, 1}, {32, 1, 1}, kShared);
  EXPECT_EQ(memory, expected);
}

TEST(TensorMaps, SubnormalNumbersAreFlushedWhereTheMapSaysSo) {
  TensorMap map;
  map.type = Type::F32Flushed;
  map.size[0] = map.box[0] = 8;
  std::vector<std::uint32_t> memory{1,          0x80000001, 0x007fffff, 0x00800000,
                                    0x3f800000, 0,          0x80000000, 0x7f800001},
      out(8);
  CubinProgram run = tensors("load_1");
  map.address = run.place(memory);
  std::vector<int> at(5);
  run.number(map.encode()).buffer(at).buffer(out).number(32U).run({1, 1, 1}, {32, 1, 1}, kShared);
  EXPECT_THAT(out, testing::ElementsAre(0, 0x80000000, 0, 0x00800000, 0x3f800000, 0, 0x80000000, 0x7f800001));
}

TEST(TensorMaps, AreSharedByAClusterThatLoadsOnce) {
  const TensorCase c{"", 2, Sizes{64, 40}, {32, 8}, kNoSteps, {7, 30}, Type::U32, 3, false, 0};
  TensorMap map = map_of(c);
  std::vector<std::uint8_t> memory = numbered(bytes_of(map)), out(4096), expected(4096);
  for (int group = 0; group < 4; ++group) {
    TensorCase moved = c;
    moved.at[0] += group / 2;
    for_each_element(map, moved, [&](std::uint64_t to, std::int64_t from) {
      std::uint8_t* at = &expected[static_cast<std::size_t>(group) * 1024 + to];
      std::memset(at, 0, 4);
      if (from >= 0) std::memcpy(at, &memory[static_cast<std::size_t>(from)], 4);
    });
  }
  CubinProgram run = tensors("both");
  map.address = run.place(memory);
  std::vector<int> at = start_of(c);
  run.number(map.encode()).buffer(at).buffer(out).number(1024U).resident(4);
  run.run({4, 1, 1}, {64, 1, 1}, kShared);
  EXPECT_EQ(out, expected);
}

// The fields are where the code of ptxas writes them.
TEST(TensorMaps, AreMadeByKernels) {
  const TensorCase c{"",    3, Sizes{0x123, 70, 30}, {16, 9, 8}, {1, 2, 3, 1, 1}, {5, 60, 20}, Type::U32, 2,
                     false, 0};
  TensorMap map = map_of(c);
  std::vector<std::uint8_t> memory = numbered(bytes_of(map)), out(box_bytes(map, c)), expected(out.size());
  for_each_element(map, c, [&](std::uint64_t to, std::int64_t from) {
    if (from >= 0) std::memcpy(&expected[to], &memory[static_cast<std::size_t>(from)], 4);
  });
  CubinProgram run = tensors("made");
  // PTX ISA: the fields of sizes, boxes, steps take what they mean.
  std::vector<std::uint64_t> words{
      run.place(memory), map.stride[0], map.stride[1], c.size[0], c.size[1], c.size[2], 16, 9, 8, 1, 2, 3};
  std::vector<int> at = start_of(c);
  std::vector<std::uint8_t> made(128);
  run.buffer(words).buffer(at).buffer(made).buffer(out).number(static_cast<std::uint32_t>(out.size()));
  run.run({1, 1, 1}, {64, 1, 1}, kShared);
  EXPECT_EQ(out, expected);
}

TEST(TensorMaps, SurviveTheirBytes) {
  TensorMap map;
  map.address = 0x123456789ab0;
  map.type = Type::BF16;
  map.dimensions = 5;
  map.size = {1, 2, 1U << 31, std::uint64_t{1} << 32, 77};
  map.stride = {16, 0xfffffffff0, 0x1234567890, 32};
  map.box = {256, 1, 128, 2, 255};
  map.step = {1, 8, 3, 5, 2};
  map.swizzle = 2;
  map.is_filled_by_nan = true;
  const TensorMap back = TensorMap::decode(map.encode().data());
  EXPECT_EQ(back.encode(), map.encode());
  EXPECT_EQ(back.size, map.size);
  EXPECT_EQ(back.stride, map.stride);
  EXPECT_EQ(back.box, map.box);
  EXPECT_EQ(back.step, map.step);
  EXPECT_EQ(back.address, map.address);
}

TEST(TensorMaps, ThatNoCopyCanUseAreRefused) {
  const auto said = [](const std::function<void(TensorMap&)>& change) {
    TensorMap map;
    map.dimensions = 2;
    map.size = {64, 64, 1, 1, 1};
    map.stride[0] = 256;
    map.box = {32, 8, 1, 1, 1};
    change(map);
    return map.wrong();
  };
  EXPECT_EQ(said([](TensorMap&) {}), "");
  EXPECT_THAT(said([](TensorMap& map) { map.box[0] = 257; }), testing::HasSubstr("box 257 of dimension 0"));
  EXPECT_THAT(said([](TensorMap& map) { map.box[0] = 3; }), testing::HasSubstr("12 bytes"));
  EXPECT_THAT(said([](TensorMap& map) { map.swizzle = 2; }), testing::HasSubstr("expected 64"));
  EXPECT_THAT(said([](TensorMap& map) { map.swizzle = 3, map.box[0] = 16; }),
              testing::HasSubstr("fewer are not executed"));
  EXPECT_THAT(said([](TensorMap& map) { map.stride[0] = 24; }),
              testing::HasSubstr("24 bytes along dimension 1"));
  EXPECT_THAT(said([](TensorMap& map) { map.address = 8; }), testing::HasSubstr("address 0x8"));
  EXPECT_THAT(said([](TensorMap& map) { map.step[1] = 9; }), testing::HasSubstr("step 9"));
  EXPECT_THAT(said([](TensorMap& map) { map.interleave = 1; }), testing::HasSubstr("interleaved"));
}

TEST(TensorMaps, OfOtherDimensionsAndOutsideOfBuffersAreFaults) {
  TensorMap map;
  map.size[0] = 64;
  map.box[0] = 64;
  std::vector<std::uint32_t> memory(32), out(64);
  std::vector<int> at(5);
  const auto launch = [&](const std::string& kernel) {
    CubinProgram run = tensors(kernel);
    map.address = run.place(memory);
    run.number(map.encode()).buffer(at).buffer(out).number(256U).run({1, 1, 1}, {32, 1, 1}, kShared);
  };
  EXPECT_THAT([&] { launch("load_2"); },
              testing::ThrowsMessage<ExecutionFault>(testing::HasSubstr("another number of dimensions")));
  EXPECT_THAT([&] { launch("load_1"); }, testing::ThrowsMessage<ExecutionFault>(testing::AllOf(
                                             testing::HasSubstr("UTMALDG"),
                                             testing::HasSubstr("behind the end of buffer 1 (128 bytes)"))));
}

TEST(Parameters, HaveAddresses) {
  for (const char* file : {"executed/parameters_sm75.cubin", "executed/parameters_sm90.cubin"}) {
    std::array<int, 16> numbers{};
    for (int i = 0; i < 16; ++i) numbers[static_cast<std::size_t>(i)] = i * i;
    std::vector<int> out(32);
    CubinProgram(file, "picked").number(numbers).buffer(out).run({1, 1, 1}, {32, 1, 1});
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(out[static_cast<std::size_t>(i)], (i * 5 % 16) * (i * 5 % 16)) << file;
  }
}

}  // namespace
}  // namespace warpscope::machine
