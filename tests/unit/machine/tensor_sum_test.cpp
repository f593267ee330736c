// Sums of products as tensor cores make them: by hand, and with whole numbers of 128 bits instead of doubles.
#include "machine/execute/operations/tensor_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "traces/base/random.h"

namespace warpscope::machine {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

/// Of products of halves with a single before.
double summed(double before, const Pairs& products, const TensorRounding& rounding) {
  const std::uint32_t bits =
      tensor_sum(std::bit_cast<std::uint32_t>(static_cast<float>(before)), false, rounding,
                 static_cast<unsigned>(products.size()), [&](unsigned first, unsigned last, TensorSum& sum) {
                   for (unsigned i = first; i < last; ++i)
                     sum.add(tensor_factor(products[i].first, kLeastOfHalf),
                             tensor_factor(products[i].second, kLeastOfHalf));
                 });
  return single_of(bits);
}

constexpr TensorRounding kTuring{24, 23, false}, kAmpere{24, 23, true}, kHopper{25, 23, false},
    kNarrow{13, 13, false};

TEST(TensorSum, CutsTermsOffBehindTheLargest) {
  // The largest exponent is 24: of 0.5 nothing is left with 24 bits behind it, and all with 25.
  const Pairs products = {{4096, 4096}, {1, 0.5}, {-4096, 4096}, {0, 0}};
  EXPECT_EQ(summed(0, products, kTuring), 0);
  EXPECT_EQ(summed(0, products, kHopper), 0.5);
  // In two halves: the first one leaves 2^24, so that -2^24 has nothing to do with 0.5.
  EXPECT_EQ(summed(0, {{4096, 4096}, {0, 0}, {-4096, 4096}, {1, 0.5}}, kAmpere), 0);
  EXPECT_EQ(summed(0, {{4096, 4096}, {-4096, 4096}, {1, 0.5}, {0, 0}}, kAmpere), 0.5);
  EXPECT_EQ(summed(-0x1p24, {{4096, 4096}, {1, 1}}, kTuring), 1);
}

TEST(TensorSum, CutsResultsOffTowardsZero) {
  // 2^24 + 3 is between 2^24 + 2 and 2^24 + 4.
  EXPECT_EQ(summed(0, {{4096, 4096}, {3, 1}}, kTuring), 0x1p24 + 2);
  EXPECT_EQ(summed(0, {{-4096, 4096}, {-3, 1}}, kTuring), -(0x1p24 + 2));
  EXPECT_EQ(summed(0, {{1, 1}, {0x1p-13, 1}}, kNarrow), 1 + 0x1p-13);
  EXPECT_EQ(summed(0, {{1, 1}, {0x1p-14, 1}}, kNarrow), 1);
  EXPECT_FALSE(std::signbit(summed(-0.0, {{-0.0, 1}, {-0.0, 1}}, kTuring)));
}

TEST(TensorSum, RoundsHalvesToTheNearest) {
  const auto half = [](double before, const Pairs& products) {
    return half_value(tensor_sum(half_bits(before), true, kTuring, static_cast<unsigned>(products.size()),
                                 [&](unsigned first, unsigned last, TensorSum& sum) {
                                   for (unsigned i = first; i < last; ++i)
                                     sum.add(tensor_factor(products[i].first, kLeastOfHalf),
                                             tensor_factor(products[i].second, kLeastOfHalf));
                                 }));
  };
  EXPECT_EQ(half(2048, {{3, 1}, {0, 0}}), 2052) << "2051 is between 2050 and 2052: a tie, to even";
  EXPECT_EQ(half(2048, {{1, 1}, {0, 0}}), 2048);
  EXPECT_EQ(half(60000, {{100, 100}, {0, 0}}), HUGE_VAL);
}

TEST(TensorSum, WhatIsNoNumberStaysSo) {
  const auto bits = [](double a, double b) {
    return tensor_sum(0, false, kTuring, 1, [&](unsigned, unsigned, TensorSum& sum) {
      sum.add(tensor_factor(a, kLeastOfHalf), tensor_factor(b, kLeastOfHalf));
    });
  };
  EXPECT_EQ(bits(HUGE_VAL, 0), kNotANumber);
  EXPECT_EQ(bits(HUGE_VAL, -2), 0xff800000U);
  EXPECT_EQ(bits(std::nan(""), 1), kNotANumber);
}

/// A half as a whole number of 2^-24, and the exponent that it has.
struct Scaled {
  __int128 number;
  int exponent;
};
Scaled scaled_of(std::uint32_t half) {
  const int field = static_cast<int>(half >> 10 & 31);
  const __int128 magnitude =
      field == 0 ? __int128{half & 0x3ff} : __int128{(half & 0x3ff) | 0x400} << (field - 1);
  return {(half & 0x8000) != 0 ? -magnitude : magnitude, magnitude == 0 ? -126 : std::max(field, 1) - 15};
}

/// Products and the half before in units of 2^-48: cut off, added, and cut off to a single.
double by_whole_numbers(std::uint32_t before, const std::vector<std::uint32_t>& a,
                        const std::vector<std::uint32_t>& b, int bits) {
  // As a single it has the exponent of its first bit, also where the half is subnormal.
  const Scaled first = scaled_of(before);
  const auto first_bits = static_cast<std::uint64_t>(first.number < 0 ? -first.number : first.number);
  std::vector<Scaled> terms = {
      {first.number << 24, first_bits == 0 ? -126 : static_cast<int>(std::bit_width(first_bits)) - 25}};
  for (std::size_t i = 0; i < a.size(); ++i)
    terms.push_back({scaled_of(a[i]).number * scaled_of(b[i]).number,
                     scaled_of(a[i]).exponent + scaled_of(b[i]).exponent});
  int largest = terms[0].exponent;
  for (const Scaled& term : terms) largest = std::max(largest, term.exponent);
  const int last =
      std::max(largest - bits + 48, 0);  // what is below that bit goes; below 2^-48 there is nothing
  __int128 sum = 0;
  for (const Scaled& term : terms) sum += (term.number / (__int128{1} << last)) * (__int128{1} << last);
  __int128 magnitude = sum < 0 ? -sum : sum;
  int length = 0;
  while (length < 126 && magnitude >> length != 0) ++length;
  if (length > 24) magnitude = magnitude >> (length - 24) << (length - 24);
  const double value = std::ldexp(static_cast<double>(magnitude), -48);
  return sum < 0 ? -value : value;
}

TEST(TensorSum, AsWholeNumbers) {
  SplitMix64 random(3);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t count = 1 + random.below(16);
    const auto narrow =
        static_cast<std::uint32_t>(random.below(31));  // few exponents, so that much is kept, or all
    const auto any = [&] {
      const auto exponent = static_cast<std::uint32_t>(random.below(2) == 0 ? random.below(31) : narrow);
      return static_cast<std::uint32_t>(random.below(2) << 15 | exponent << 10 | random.below(1024));
    };
    std::vector<std::uint32_t> a(count), b(count);
    for (std::size_t i = 0; i < count; ++i) a[i] = any(), b[i] = any();
    const std::uint32_t before = any();
    const int bits = 24 + static_cast<int>(random.below(2));
    Pairs products;
    for (std::size_t i = 0; i < count; ++i) products.emplace_back(half_value(a[i]), half_value(b[i]));
    ASSERT_EQ(summed(half_value(before), products, {bits, 23, false}), by_whole_numbers(before, a, b, bits))
        << round;
  }
}

}  // namespace
}  // namespace warpscope::machine
