#pragma once
// Real numbers of 8 bits: E4M3 (no infinity) and E5M2 (OCP 8-bit floating point specification).
#include <cmath>
#include <cstdint>

#include "machine/execute/operations/half.h"

namespace warpscope::machine {

/// A format: bits behind the point, and of the exponent the bias; the largest number.
struct SmallFormat {
  int fraction, bias;
  std::uint32_t largest;
};
constexpr SmallFormat kE5m2{2, 15, 0x7b}, kE4m3{3, 7, 0x7e};
constexpr std::uint32_t kNoSmallNumber = 0x7f;

inline double small_magnitude(std::uint32_t bits, const SmallFormat& format) {
  const std::uint32_t one = 1U << format.fraction, fraction = bits & (one - 1),
                      exponent = (bits & 0x7f) >> format.fraction;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - format.fraction;
  return std::ldexp(fraction + (exponent == 0 ? 0U : one), power);
}

inline double small_value(std::uint32_t bits, const SmallFormat& format) {
  const std::uint32_t magnitude = bits & 0x7f;
  double value = small_magnitude(bits, format);
  if (magnitude > format.largest) value = std::nan("");
  if (format.fraction == kE5m2.fraction && magnitude == 0x7c) value = HUGE_VAL;
  return (bits & 0x80) != 0 ? -value : value;
}

/// To nearest, ties to even; held within the finite numbers (.satfinite).
inline std::uint32_t small_bits(double value, const SmallFormat& format) {
  if (value != value) return kNoSmallNumber;
  const std::uint32_t sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude =
      std::fabs(std::isinf(value) ? value : rounded_to(value, format.fraction, 1 - format.bias, 0));
  if (magnitude >= small_magnitude(format.largest, format)) return sign | format.largest;
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int power = std::max(exponent - 1, 1 - format.bias);
  const auto digits = static_cast<std::uint32_t>(
      std::ldexp(magnitude, format.fraction - power));  // with the one before the point
  return sign | ((static_cast<std::uint32_t>(power + format.bias - 1) << format.fraction) + digits);
}

}  // namespace warpscope::machine
