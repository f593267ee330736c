// Narrow integers and reals, functions of halves, products of bits and of reals of 8 bits, barriers before sm_90. The host's side: tables of all numbers of
// a format, of which the nearest is looked for; loops over the elements of matrices as the PTX ISA places them.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

const char* const kOldAndNew[] = {"80", "90"};
constexpr unsigned kNarrowThreads = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

CubinProgram narrow(const std::string& architecture, const std::string& kernel) {
  return CubinProgram("executed/narrow_sm" + architecture + ".cubin", kernel);
}

/// Integers of all sizes.
std::vector<int> narrow_integers(unsigned salt) {
  std::vector<int> values(kNarrowThreads);
  const std::vector<std::uint32_t> draws = numbers_below(2 * kNarrowThreads + salt, 1U << 24);
  for (unsigned i = 0; i < kNarrowThreads; ++i) {
    const std::uint32_t word = draws[i + salt] << 8 | (draws[i + kNarrowThreads] & 255);
    values[i] = static_cast<int>(word) >> (draws[i] % 32);
  }
  values[0] = INT32_MIN;
  values[1] = INT32_MAX;
  values[2] = 0;
  return values;
}

/// Reals of all sizes, halfway cases, and what is none.
std::vector<float> narrow_reals(unsigned salt) {
  std::vector<float> values(kNarrowThreads);
  const std::vector<std::uint32_t> draws = numbers_below(2 * kNarrowThreads + salt, 1U << 24);
  for (unsigned i = 0; i < kNarrowThreads; ++i) {
    const double fraction = 1 + (i % 3 == 0 ? draws[i + salt] % 64 / 64.0 : draws[i + salt] / 16777216.0);
    values[i] =
        static_cast<float>(std::ldexp(fraction, static_cast<int>(draws[i + kNarrowThreads] % 40) - 20));
    if (draws[i + salt] % 5 < 2) values[i] = -values[i];
  }
  const float special[] = {0.0F,  -0.0F, INFINITY, -INFINITY, NAN,    1e-30F, 449,  464,   465,  -1e30F,
                           57345, 61440, 65504,    65520,     254.5F, 255.5F, 0.5F, -0.5F, 1.5F, 2.5F};
  std::copy(std::begin(special), std::end(special), values.begin() + static_cast<std::ptrdiff_t>(3 * salt));
  return values;
}

std::uint32_t narrow_clamped(std::int64_t value, unsigned width, bool is_signed) {
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (width - 1)) : 0;
  const std::int64_t most = is_signed ? (std::int64_t{1} << (width - 1)) - 1 : (std::int64_t{1} << width) - 1;
  return static_cast<std::uint32_t>(value < least ? least : value > most ? most : value);
}

TEST(Narrow, IntegersAreHeldWithinTheirType) {
  for (const char* architecture : kOldAndNew) {
    std::vector<int> in = narrow_integers(0), out(4 * kNarrowThreads);
    narrow(architecture, "held").buffer(in).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < kNarrowThreads; ++i) {
      const auto part = [&](unsigned place) { return static_cast<std::uint32_t>(out[i * 4 + place]); };
      EXPECT_EQ(part(0), narrow_clamped(in[i], 8, false)) << in[i];
      EXPECT_EQ(part(1), narrow_clamped(in[i], 8, true)) << in[i];
      EXPECT_EQ(part(2), narrow_clamped(in[i], 16, false)) << in[i];
      EXPECT_EQ(part(3), narrow_clamped(in[i], 16, true)) << in[i];
    }
  }
}

// PTX ISA, cvt.pack: d = c << 2n | a << n | b.
TEST(Narrow, IntegersArePacked) {
  for (const char* architecture : kOldAndNew) {
    std::vector<int> a = narrow_integers(0), b = narrow_integers(1);
    std::vector<std::uint32_t> c = numbers_below(kNarrowThreads, 1U << 24), out(8 * kNarrowThreads);
    narrow(architecture, "packed")
        .buffer(a)
        .buffer(b)
        .buffer(c)
        .buffer(out)
        .run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < kNarrowThreads; ++i)
      for (unsigned place = 0; place < 8; ++place) {
        constexpr unsigned kWidths[] = {8, 8, 16, 16, 4, 4, 2, 2};
        const unsigned width = kWidths[place];
        const std::uint32_t mask = (1U << width) - 1;
        const std::uint64_t expected = (narrow_clamped(b[i], width, place % 2 == 1) & mask) |
                                       (narrow_clamped(a[i], width, place % 2 == 1) & mask) << width |
                                       (width == 16 ? 0 : std::uint64_t{c[i]} << 2 * width);
        EXPECT_EQ(out[i * 8 + place], static_cast<std::uint32_t>(expected))
            << place << " " << a[i] << " " << b[i];
      }
  }
}

TEST(Narrow, RealsAreRoundedToBytes) {
  for (const char* architecture : kOldAndNew) {
    std::vector<float> in = narrow_reals(1);
    std::vector<int> out(4 * kNarrowThreads);
    narrow(architecture, "rounded").buffer(in).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < kNarrowThreads; ++i) {
      const double x = in[i], whole[] = {std::nearbyint(x), std::trunc(x), std::floor(x), std::ceil(x)};
      for (unsigned place = 0; place < 4; ++place)
        EXPECT_EQ(out[i * 4 + place],
                  std::isnan(x) ? 0 : static_cast<int>(std::fmin(std::fmax(whole[place], 0), 255)))
            << x << " " << place;
    }
  }
}

TEST(Narrow, SumsSaturate) {
  for (const char* architecture : kOldAndNew) {
    std::vector<int> a = narrow_integers(0), b = narrow_integers(1), out(2 * kNarrowThreads);
    b[0] = -1;
    b[1] = 1;
    narrow(architecture, "sums").buffer(a).buffer(b).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < kNarrowThreads; ++i) {
      EXPECT_EQ(out[i * 2], static_cast<int>(narrow_clamped(std::int64_t{a[i]} + b[i], 32, true)));
      EXPECT_EQ(out[i * 2 + 1], static_cast<int>(narrow_clamped(std::int64_t{a[i]} - b[i], 32, true)));
    }
  }
}

/// A format of reals with so many bits of exponent and fraction.
class RealFormat {
 public:
  RealFormat(int exponent, int fraction, bool has_infinity = true)
      : exponent_(exponent), fraction_(fraction), has_infinity_(has_infinity) {
    for (std::uint32_t code = 0; code < sign(); ++code)
      if (const double one = value(code); std::isfinite(one)) finite_.push_back(one);
  }
  [[nodiscard]] int fraction() const { return fraction_; }
  [[nodiscard]] std::uint32_t sign() const { return 1U << (exponent_ + fraction_); }
  [[nodiscard]] double value(std::uint32_t code) const {
    const std::uint32_t magnitude = code & (sign() - 1), top = magnitude >> fraction_,
                        rest = magnitude & ((1U << fraction_) - 1), all = (1U << exponent_) - 1;
    const int bias = (1 << (exponent_ - 1)) - 1;
    double result = top == 0 ? std::ldexp(rest, 1 - bias - fraction_)
                             : std::ldexp(rest + (1U << fraction_), static_cast<int>(top) - bias - fraction_);
    if (has_infinity_ && top == all) result = rest == 0 ? kInfinity : NAN;
    if (!has_infinity_ && magnitude == sign() - 1) result = NAN;
    return (code & sign()) != 0 ? -result : result;
  }
  /// The code of the nearest finite number; of two the even one; towards 0 of those that are not larger.
  [[nodiscard]] std::uint32_t nearest(double x, bool towards_zero = false) const {
    if (std::isnan(x)) return sign() - 1;
    const std::uint32_t minus = std::signbit(x) ? sign() : 0;
    const double magnitude = std::fabs(x);
    if (magnitude >= finite_.back()) return minus | static_cast<std::uint32_t>(finite_.size() - 1);
    std::uint32_t below = 0;
    while (finite_[below + 1] <= magnitude) ++below;
    const double down = magnitude - finite_[below], up = finite_[below + 1] - magnitude;
    const bool is_up = !towards_zero && (up < down || (up == down && below % 2 == 1));
    return minus | (below + (is_up ? 1 : 0));
  }

 private:
  int exponent_, fraction_;
  bool has_infinity_;
  std::vector<double> finite_;
};
const RealFormat kF16{5, 10}, kBF16{8, 7}, kE4M3{4, 3, false}, kE5M2{5, 2};

/// The larger one of x and 0, which is larger than -0 (PTX ISA, max).
double not_below_0(double x) {
  return x <= 0 ? 0 : x;
}

TEST(Narrow, HalvesStayFinite) {
  for (const char* architecture : kOldAndNew) {
    std::vector<float> a = narrow_reals(0), b = narrow_reals(1);
    std::vector<std::uint32_t> out(4 * kNarrowThreads);
    narrow(architecture, "clipped").buffer(a).buffer(b).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < kNarrowThreads; ++i) {
      EXPECT_EQ(out[i * 4], kF16.nearest(a[i])) << a[i];
      EXPECT_EQ(out[i * 4 + 1], kF16.nearest(a[i], true) << 16 | kF16.nearest(b[i], true))
          << a[i] << " " << b[i];
      EXPECT_EQ(out[i * 4 + 2], kBF16.nearest(a[i]) << 16 | kBF16.nearest(b[i])) << a[i] << " " << b[i];
      EXPECT_EQ(out[i * 4 + 3], kF16.nearest(not_below_0(a[i])) << 16 | kF16.nearest(not_below_0(b[i])))
          << a[i] << " " << b[i];
    }
  }
}

TEST(Narrow, RealsOfEightBits) {
  for (const char* architecture : {"89", "90"}) {
    std::vector<float> a = narrow_reals(0), b = narrow_reals(1);
    std::vector<std::uint32_t> out(8 * kNarrowThreads);
    narrow(architecture, "small").buffer(a).buffer(b).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < kNarrowThreads; ++i) {
      const std::uint32_t* got = &out[i * 8];
      EXPECT_EQ(got[0], kE4M3.nearest(a[i]) << 8 | kE4M3.nearest(b[i])) << a[i] << " " << b[i];
      EXPECT_EQ(got[1], kE5M2.nearest(a[i]) << 8 | kE5M2.nearest(b[i])) << a[i] << " " << b[i];
      EXPECT_EQ(got[2], kE4M3.nearest(not_below_0(a[i])) << 8 | kE4M3.nearest(not_below_0(b[i])))
          << a[i] << " " << b[i];
      const double high = kF16.value(got[5] >> 16), low = kF16.value(got[5] & 0xffff);
      EXPECT_EQ(got[3], kE4M3.nearest(high) << 8 | kE4M3.nearest(low)) << high << " " << low;
      EXPECT_EQ(got[4], kE5M2.nearest(high) << 8 | kE5M2.nearest(low)) << high << " " << low;
      const auto exact = [&](std::uint32_t halves, const RealFormat& format) {
        for (const auto& [half, code] :
             {std::pair{halves & 0xffff, i & 255}, std::pair{halves >> 16, (i ^ 0x80) & 255}}) {
          const double from = format.value(code), to = kF16.value(half);
          EXPECT_TRUE((std::isnan(from) && std::isnan(to)) ||
                      (from == to && std::signbit(from) == std::signbit(to)))
              << code;
        }
      };
      exact(got[6], kE4M3);
      exact(got[7], kE5M2);
    }
  }
}

TEST(Narrow, TensorFloats) {
  std::vector<float> in = narrow_reals(0);
  std::vector<std::uint32_t> out(3 * kNarrowThreads);
  narrow("90", "tensor_floats").buffer(in).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
  for (unsigned i = 0; i < kNarrowThreads; ++i) {
    if (std::isnan(in[i])) continue;
    // In units of the last of ten places: all draws are normal numbers.
    const auto round = [](double x, double (*how)(double)) {
      int exponent = 0;
      std::frexp(x, &exponent);
      return std::isinf(x) || x == 0 ? x : std::ldexp(how(std::ldexp(x, 11 - exponent)), exponent - 11);
    };
    EXPECT_EQ(std::bit_cast<float>(out[i * 3]), round(in[i], std::nearbyint)) << in[i];
    EXPECT_EQ(std::bit_cast<float>(out[i * 3 + 1]), round(in[i], std::trunc)) << in[i];
    EXPECT_EQ(std::bit_cast<float>(out[i * 3 + 2]), round(not_below_0(in[i]), std::nearbyint)) << in[i];
  }
}

/// Halves of all kinds, without what is none.
std::vector<std::uint32_t> narrow_halves() {
  std::vector<std::uint32_t> values = numbers_below(kNarrowThreads, 1U << 24);
  for (unsigned i = 0; i < kNarrowThreads; ++i) values[i] = (values[i] * 0x101U) & 0xfbff7bffU & ~0x04000400U;
  return values;
}

TEST(Narrow, EachHalfHasItsMinus) {
  for (const char* architecture : kOldAndNew) {
    std::vector<std::uint32_t> a = numbers_below(kNarrowThreads, 1U << 24), b = a, out(3 * kNarrowThreads);
    for (unsigned i = 0; i < kNarrowThreads; ++i) a[i] = a[i] << 8 | i, b[i] = b[i] << 5 ^ 0x00010001U;
    narrow(architecture, "pairs").buffer(a).buffer(b).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < kNarrowThreads; ++i)
      for (const unsigned shift : {0U, 16U}) {
        const auto half = [shift](std::uint32_t word) { return static_cast<std::int16_t>(word >> shift); };
        const int x = half(a[i]), y = half(b[i]);
        EXPECT_EQ(half(out[i * 3]), static_cast<std::int16_t>(x - y));
        EXPECT_EQ(half(out[i * 3 + 1]), std::min<int>(static_cast<std::int16_t>(x - y), 5));
        EXPECT_EQ(half(out[i * 3 + 2]), std::max<int>(static_cast<std::int16_t>(-x), y));
      }
  }
}

TEST(Narrow, BothHalvesOfAWordAreRounded) {
  static constexpr double (*kRounded[])(double) = {std::floor, std::ceil, std::trunc, std::nearbyint};
  for (const char* architecture : kOldAndNew) {
    std::vector<std::uint32_t> in = narrow_halves(), out(14 * kNarrowThreads);
    narrow(architecture, "whole").buffer(in).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    for (unsigned i = 0; i < 2 * kNarrowThreads; ++i) {
      const double x = kF16.value(in[i / 2] >> i % 2 * 16 & 0xffff);
      for (unsigned how = 0; how < 4; ++how)
        EXPECT_EQ(kF16.value(out[i * 7 + how]), kRounded[how](x)) << x << " " << how;
      EXPECT_EQ(static_cast<std::int32_t>(out[i * 7 + 4]), static_cast<std::int32_t>(std::nearbyint(x)));
      EXPECT_EQ(std::bit_cast<double>(std::uint64_t{out[i * 7 + 6]} << 32 | out[i * 7 + 5]), x);
    }
  }
}

TEST(Narrow, FunctionsOfHalves) {
  for (const char* architecture : kOldAndNew) {
    std::vector<std::uint32_t> in = narrow_halves(), out(4 * kNarrowThreads);
    narrow(architecture, "functions").buffer(in).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
    const bool has_brains = std::string(architecture) == "90";
    for (unsigned i = 0; i < kNarrowThreads; ++i)
      for (unsigned place = 0; place < (has_brains ? 4U : 2U); ++place)
        for (const unsigned shift : {0U, 16U}) {
          const RealFormat& format = place < 2 ? kF16 : kBF16;
          const double x = format.value(in[i] >> shift & 0xffff),
                       got = format.value(out[i * 4 + place] >> shift & 0xffff);
          const double expected = place % 2 == 0 ? std::exp2(x) : std::tanh(x);
          // One unit in the last place; PTX ISA promises 2^-9.9 (f16), 2^-7 (bf16) for ex2, 2^-10.987, 2^-8 for tanh.
          if (expected > format.value(place < 2 ? 0x7bff : 0x7f7f)) continue;
          EXPECT_NEAR(
              got, expected,
              std::fabs(expected) * std::ldexp(1, -format.fraction()) + std::ldexp(1, place < 2 ? -24 : -126))
              << x << " " << place;
        }
  }
}

TEST(Narrow, SignsOfBothAndTheSmallerOrLargerMagnitude) {
  std::vector<std::uint32_t> a = narrow_halves(), b = narrow_halves(), out(2 * kNarrowThreads);
  std::rotate(b.begin(), b.begin() + 7, b.end());
  narrow("90", "signs").buffer(a).buffer(b).buffer(out).run({1, 1, 1}, {kNarrowThreads, 1, 1});
  for (unsigned i = 0; i < kNarrowThreads; ++i)
    for (const unsigned shift : {0U, 16U}) {
      const std::uint32_t x = a[i] >> shift & 0xffff, y = b[i] >> shift & 0xffff, sign = (x ^ y) & 0x8000;
      EXPECT_EQ(out[i * 2] >> shift & 0xffff, sign | std::min(x & 0x7fff, y & 0x7fff));
      EXPECT_EQ(out[i * 2 + 1] >> shift & 0xffff, sign | std::max(x & 0x7fff, y & 0x7fff));
    }
}

TEST(Narrow, BitsThatBothHaveAreCounted) {
  for (const char* architecture : kOldAndNew) {
    std::vector<std::uint32_t> in = numbers_below(320, 1U << 24), out(320);
    for (std::uint32_t& word : in) word *= 0x9e3779b1U;
    narrow(architecture, "bits").buffer(in).buffer(out).run({1, 1, 1}, {32, 1, 1});
    // Bit k of row r of A, and of column c of B: PTX ISA, figures of .m16n8k256.
    const auto bit = [&](unsigned lane, unsigned word, unsigned k) {
      return in[lane * 10 + word] >> k % 32 & 1U;
    };
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned shape = 0; shape < 3; ++shape)
        for (unsigned place = 0; place < (shape == 0 ? 2U : 4U); ++place) {
          const unsigned row = lane / 4 + place / 2 * 8, column = lane % 4 * 2 + place % 2,
                         depth = shape == 2 ? 256 : 128;
          std::uint32_t sum = (shape == 0 ? 0 : shape * 4 - 2) + place;
          for (unsigned k = 0; k < depth; ++k)
            sum += bit(row % 8 * 4 + k / 32 % 4, k / 128 * (shape == 0 ? 1 : 2) + row / 8, k) &
                   bit(column * 4 + k / 32 % 4, 4 + k / 128, k);
          EXPECT_EQ(out[lane * 10 + (shape == 0 ? 0 : shape * 4 - 2) + place], sum) << shape << " " << lane;
        }
  }
}

/// Small numbers, whose sums are exact.
std::uint32_t small_word(std::uint32_t draw) {
  static constexpr std::uint8_t kCodes[] = {0x00, 0x38, 0x3c, 0x40, 0xb8, 0xc0, 0x34, 0xbc};
  return kCodes[draw % 8] | kCodes[draw / 8 % 8] << 8U | kCodes[draw / 64 % 8] << 16U |
         std::uint32_t{kCodes[draw / 512 % 8]} << 24U;
}

TEST(Narrow, ProductsOfRealsOfEightBits) {
  std::vector<std::uint32_t> in = numbers_below(288, 1U << 24);
  for (unsigned i = 0; i < 288; ++i)
    if (i % 9 != 8) in[i] = small_word(in[i]);
  for (unsigned lane = 0; lane < 32; ++lane) {
    static constexpr std::uint32_t kPairs[] = {0x4, 0x8, 0xd, 0xe, 0xc, 0x9};
    std::uint32_t word = 0;
    for (unsigned group = 0; group < 8; ++group) word |= kPairs[(lane * 5 + group * 7) % 6] << group * 4;
    in[lane * 9 + 8] = word;
  }
  std::vector<float> out(512);
  narrow("89", "products").buffer(in).buffer(out).run({1, 1, 1}, {32, 1, 1});
  const auto a_code = [&](unsigned row, unsigned k) {
    return in[(row % 8 * 4 + k / 4 % 4) * 9 + k / 16 * 2 + row / 8] >> k % 4 * 8 & 0xff;
  };
  const auto b_code = [&](unsigned column, unsigned k) {
    return in[(column * 4 + k / 4 % 4) * 9 + 4 + k / 16] >> k % 4 * 8 & 0xff;
  };
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned place = 0; place < 4; ++place) {
      const unsigned row = lane / 4 + place / 2 * 8, column = lane % 4 * 2 + place % 2;
      double sums[4] = {0.0 + place, 4.0 + place, place % 2 == 0 ? 2.0 : 1.0, 12.0 + place};
      if (place / 2 == 1) sums[2] = place % 2 == 0 ? 1.0 : 2.0;
      for (unsigned k = 0; k < 16; ++k)
        sums[0] += kE4M3.value(a_code(row, k)) * kE5M2.value(b_code(column, k));
      for (unsigned k = 0; k < 32; ++k)
        sums[1] += kE5M2.value(a_code(row, k)) * kE4M3.value(b_code(column, k));
      for (unsigned k = 0; k < 32; ++k)
        sums[2] += kE4M3.value(a_code(row, k)) * kE4M3.value(b_code(column, k));
      // Sparse: 32 stored ones of 64. 32 indices of two bits of a row are in two lanes of its four: PTX ISA, figure of .m16n8k64 of 8 bits.
      for (unsigned stored = 0; stored < 32; ++stored) {
        const std::uint32_t word = in[(row % 8 * 4 + stored / 16 * 2 + row / 8) * 9 + 8];
        const unsigned k = stored / 2 * 4 + (word >> stored % 16 * 2 & 3);
        sums[3] += kE4M3.value(a_code(row, stored)) * kE5M2.value(b_code(column, k));
      }
      EXPECT_EQ(out[lane * 16 + place], sums[0]);
      EXPECT_EQ(out[lane * 16 + 4 + place], sums[1]);
      EXPECT_EQ(
          kF16.value(std::bit_cast<std::uint32_t>(out[lane * 16 + 8 + place / 2]) >> place % 2 * 16 & 0xffff),
          kF16.value(kF16.nearest(sums[2])));
      EXPECT_EQ(out[lane * 16 + 12 + place], sums[3]);
    }
}

TEST(Narrow, BarriersInSharedMemory) {
  constexpr std::uint32_t kCount = 100, kLeaving = 23;
  for (const char* architecture : {"80", "89", "90"}) {
    std::vector<std::uint32_t> in = numbers_below(kCount, 1U << 24), out(kCount), x = in;
    for (std::uint32_t round = 0; round < 6; ++round) {
      const std::uint32_t there = round < 3 ? kCount : kCount - kLeaving;
      std::vector<std::uint32_t> box(kCount);
      for (std::uint32_t t = 0; t < there; ++t) box[(t + round) % there] = x[t];
      for (std::uint32_t t = 0; t < there; ++t) x[t] = x[t] * 5 + box[t];
    }
    narrow(architecture, "tokens").buffer(in).buffer(out).number(kLeaving).run({1, 1, 1}, {kCount, 1, 1});
    EXPECT_EQ(out, x) << architecture;
    std::vector<std::uint32_t> from = numbers_below(160, 1U << 24), to(160);
    narrow(architecture, "copies").buffer(from).buffer(to).run({1, 1, 1}, {160, 1, 1});
    EXPECT_EQ(to, std::vector<std::uint32_t>(from.rbegin(), from.rend())) << architecture;
  }
}

TEST(Narrow, SixteenBytesAtOnce) {
  std::vector<std::uint64_t> out{0, 7, 1, 1, 1, 1};
  narrow("90", "wide").buffer(out).run({1, 1, 1}, {32, 1, 1});
  // Lanes in ascending order all find what they expect: 32 swaps; then 7, 0 come in for it.
  EXPECT_THAT(out, testing::ElementsAre(32, 7, 32, 7, 7, 0));
}

}  // namespace
}  // namespace warpscope::machine
