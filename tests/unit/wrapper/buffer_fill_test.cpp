#include "wrapper/launch/buffer_fill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "traces/base/error.h"

namespace warpscope {
namespace {

Number no_names(const std::string& name) {
  throw UnknownName("unknown name " + name);
}

template <class T>
std::vector<T> filled(const std::string& fill, const std::string& type, std::size_t count) {
  const auto bytes =
      fill_bytes(parse_fill(fill, "test"), *builtin_type(type), count * sizeof(T), no_names, "test");
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

using testing::Each;
using testing::ElementsAre;

TEST(BufferFill, CountsUpAndWrapsInNarrowTypes) {
  EXPECT_THAT(filled<float>("iota", "float", 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(filled<std::int32_t>("iota", "int", 3), ElementsAre(0, 1, 2));
  const auto bytes = filled<std::uint8_t>("iota", "uchar", 258);
  EXPECT_EQ(bytes[255], 255);
  EXPECT_EQ(bytes[256], 0);
  EXPECT_EQ(filled<std::int8_t>("iota", "char", 200)[199], static_cast<std::int8_t>(199));
}

TEST(BufferFill, RepeatsRangesAfterTheirLastValue) {
  EXPECT_THAT(filled<std::uint32_t>("range(1, 2, 6)", "uint", 5), ElementsAre(1, 3, 5, 1, 3));
  EXPECT_THAT(filled<float>("range(1, -0.5, 0)", "float", 4), ElementsAre(1, 0.5, 0, 1));
  EXPECT_THROW(filled<float>("range(0, 0, 1)", "float", 1), InputError);
  EXPECT_THROW(filled<float>("range(0, -1, 1)", "float", 1), InputError);
}

// SplitMix64's first outputs for seed 1234567, as published with the reference implementation
// (prng.di.unimi.it).
TEST(BufferFill, DrawsFromSplitMix64) {
  const auto values = filled<std::uint64_t>("random(1234567, 0, 0x7fffffffffffffff)", "ulong", 2);
  EXPECT_EQ(values[0], 6457827717110365317u % 0x7fffffffffffffffu);
  EXPECT_EQ(values[1], 3203168211198807973u % 0x7fffffffffffffffu);
}

TEST(BufferFill, StaysInsideTheRange) {
  EXPECT_THAT(filled<float>("random(3)", "float", 1000),
              Each(testing::AllOf(testing::Ge(0.0f), testing::Lt(1.0f))));
  EXPECT_THAT(filled<std::int32_t>("random(3, -5, 5)", "int", 1000),
              Each(testing::AllOf(testing::Ge(-5), testing::Lt(5))));
  EXPECT_NE(filled<std::uint32_t>("random(3)", "uint", 8), filled<std::uint32_t>("random(4)", "uint", 8));
  EXPECT_THROW(filled<std::int32_t>("random(3, 5, 5)", "int", 1), InputError);
}

TEST(BufferFill, PadsThreeVectorsLikeFour) {
  EXPECT_EQ(builtin_type("float3")->size, 16u);
  EXPECT_EQ(builtin_type("uchar16")->size, 16u);
  EXPECT_EQ(builtin_type("ushort2")->component_size(), 2u);
  EXPECT_FALSE(builtin_type("float5"));
  EXPECT_FALSE(builtin_type("quad"));
}

TEST(AppendComponent, ChecksWhatFits) {
  std::vector<std::uint8_t> bytes;
  append_component(bytes, *builtin_type("uchar"), std::int64_t{-1}, "test");
  append_component(bytes, *builtin_type("char"), std::int64_t{0xff}, "test");
  append_component(bytes, *builtin_type("ushort"), 3.0, "test");
  EXPECT_THAT(bytes, ElementsAre(0xff, 0xff, 3, 0));
  EXPECT_THROW(append_component(bytes, *builtin_type("uchar"), std::int64_t{256}, "test"), InputError);
  EXPECT_THROW(append_component(bytes, *builtin_type("char"), std::int64_t{-129}, "test"), InputError);
  EXPECT_THROW(append_component(bytes, *builtin_type("int"), 0.5, "test"), InputError);
}

// Encodings from IEEE 754-2019: 1 = 3c00, -2 = c000, 65504 (largest) = 7bff, 2^-24 (smallest) = 0001, 1/3 =
// 3555, 2^-14 (smallest normal) = 0400, 2049 = half way between 2048 and 2050: even = 6800.
TEST(AppendComponent, RoundsHalfPrecision) {
  const auto half = [](double value) {
    std::vector<std::uint8_t> bytes;
    append_component(bytes, *builtin_type("half"), value, "test");
    return bytes[0] | bytes[1] << 8;
  };
  EXPECT_EQ(half(0), 0x0000);
  EXPECT_EQ(half(1), 0x3c00);
  EXPECT_EQ(half(-2), 0xc000);
  EXPECT_EQ(half(65504), 0x7bff);
  EXPECT_EQ(half(0x1p-24), 0x0001);
  EXPECT_EQ(half(0x1p-14), 0x0400);
  EXPECT_EQ(half(1.0 / 3), 0x3555);
  EXPECT_EQ(half(2049), 0x6800);
  EXPECT_EQ(half(1e9), 0x7c00);
}

}  // namespace
}  // namespace warpscope
