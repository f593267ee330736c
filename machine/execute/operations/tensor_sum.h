#pragma once
// Sums of products of real numbers as tensor cores make them, bit by bit: P. Xie, Y. Wang, F. Yang, M. Yang, "MMA-Sim: Bit-Accurate Reference
// Model of Tensor Cores and Matrix Cores", 2025, arXiv 2511.10909.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "machine/execute/operations/half.h"

namespace warpscope::machine {

/// What generations of tensor cores, and their kinds of products, do differently.
struct TensorRounding {
  int bits = 24;           ///< of every term, behind the point of the largest exponent; the rest is cut off
  int single_bits = 23;    ///< that a single keeps behind its point; the rest is cut off
  bool in_halves = false;  ///< first the first half of the depth, then the second one with what comes out

  /// Of products of Volta (70) to Hopper (90); `is_narrow`: of 8-bit numbers.
  static TensorRounding of_warp(std::uint32_t architecture, bool is_narrow, bool is_deep) {
    if (architecture >= 90) return {25, 23, false};
    if (architecture < 80) return {architecture < 75 ? 23 : 24, 23, false};
    return is_narrow ? TensorRounding{13, 13, is_deep} : TensorRounding{24, 23, is_deep};
  }
  /// As a number for Operation::target, and back.
  [[nodiscard]] std::uint32_t packed() const {
    return static_cast<std::uint32_t>(bits | single_bits << 8 | (in_halves ? 1 << 16 : 0));
  }
  static TensorRounding of_packed(std::uint32_t packed) {
    return {static_cast<int>(packed & 0xff), static_cast<int>(packed >> 8 & 0xff), (packed >> 16 & 1) != 0};
  }
  /// Of four warps (wgmma).
  static TensorRounding of_warp_group(bool is_narrow) {
    return is_narrow ? TensorRounding{13, 13, false} : TensorRounding{25, 23, false};
  }
};

/// The smallest exponents of the formats; numbers below have it, too.
constexpr int kLeastOfHalf = -14, kLeastOfSingle = -126, kLeastOfE5m2 = -14, kLeastOfE4m3 = -6;

/// A number with the exponent that it has in its format.
struct TensorFactor {
  double value = 0;
  int exponent = kLeastOfSingle;
};

inline TensorFactor tensor_factor(double value, int least) {
  if (value == 0) return {value, kLeastOfSingle};
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) - 1023;
  return {value, std::max(exponent, least)};
}

/// 2 to the power of `exponent`, from -1022 to 1023.
inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

class TensorSum {
 public:
  static constexpr std::size_t kMostTerms = 65;

  explicit TensorSum(const TensorFactor& before) { add_term(before.value, before.exponent); }
  /// At most kMostTerms - 1 times.
  void add(const TensorFactor& a, const TensorFactor& b) {
    add_term(a.value * b.value, a.exponent + b.exponent);
  }
  /// Exact, of the terms that were cut off; what is no number, or infinite, if one is.
  [[nodiscard]] double cut(int bits) const {
    if (!std::isfinite(plain_)) return plain_;
    const double up = power_of_two(bits - largest_), down = power_of_two(largest_ - bits);
    double sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += std::trunc(terms_[i] * up);
    return sum * down;
  }

 private:
  void add_term(double value, int exponent) {
    plain_ += value;
    largest_ = count_ == 0 ? exponent : std::max(largest_, exponent);
    terms_[count_++] = value;
  }
  double plain_ = 0;
  int largest_ = 0;
  std::size_t count_ = 0;
  std::array<double, kMostTerms> terms_;
};

/// What comes out, in the bits of a half or a single.
inline std::uint32_t tensor_result(const TensorSum& sum, const TensorRounding& rounding, bool is_half) {
  const double cut = sum.cut(rounding.bits);
  if (is_half) return half_bits(cut);
  return canonical(static_cast<float>(rounded_to(cut, rounding.single_bits, kLeastOfSingle, 3)));
}

/// The sum before, a half or a single in its bits, as a term.
inline TensorFactor tensor_before(std::uint32_t bits, bool is_half) {
  return is_half ? tensor_factor(half_value(bits), kLeastOfHalf)
                 : tensor_factor(single_of(bits), kLeastOfSingle);
}

/// The result, in its bits: `before`, a half or a single, and all products of `pieces` pieces of the depth. add(first, last, sum) adds those of
/// the pieces [first, last) to a TensorSum.
template <class Add>
std::uint32_t tensor_sum(std::uint32_t before, bool is_half, const TensorRounding& rounding, unsigned pieces,
                         Add add) {
  const unsigned step = rounding.in_halves ? pieces / 2 : pieces;
  for (unsigned first = 0; first < pieces; first += step) {
    TensorSum sum(tensor_before(before, is_half));
    add(first, first + step, sum);
    before = tensor_result(sum, rounding, is_half);
  }
  return before;
}

}  // namespace warpscope::machine
