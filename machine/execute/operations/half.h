#pragma once
// Numbers of 16 bits: binary16, and bfloat16, the upper half of a single.
#include <bit>
#include <cmath>
#include <cstdint>

#include "machine/execute/operations/real.h"

namespace warpscope::machine {

/// The value of a binary16.
inline double half_value(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  double value = 0;
  if (exponent == 31)
    value = fraction != 0 ? std::nan("") : HUGE_VAL;
  else if (exponent == 0)
    value = std::ldexp(static_cast<double>(fraction), -24);
  else
    value = std::bit_cast<double>(std::uint64_t{exponent + 1023 - 15} << 52 | std::uint64_t{fraction} << 42);
  return (bits & 0x8000) != 0 ? -value : value;
}

/// `value` in a format with `fraction` bits behind the point and the smallest exponent `least`, rounded as `mode` says: 0 nearest, ties to
/// even, 1 down, 2 up, 3 towards 0. An exact multiple of the last place, of any size.
inline double rounded_to(double value, int fraction, int least, std::uint32_t mode) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent - 1, least) - fraction;
  const double scaled = std::ldexp(value, -last);
  double whole = std::nearbyint(scaled);
  if (mode == 1) whole = std::floor(scaled);
  if (mode == 2) whole = std::ceil(scaled);
  if (mode == 3) whole = std::trunc(scaled);
  return whole == 0 ? std::copysign(0.0, value) : std::ldexp(whole, last);
}

/// A double as binary16. `mode` as above.
inline std::uint32_t half_bits(double value, std::uint32_t mode = 0) {
  if (value != value) return 0x7fff;
  const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0) return sign;
  if (std::isinf(value)) return sign | 0x7c00;
  const double magnitude = std::fabs(rounded_to(value, 10, -14, mode));
  if (magnitude > 65504) {
    const bool towards_zero = mode == 3 || (mode == 1 && sign == 0) || (mode == 2 && sign != 0);
    return sign | (towards_zero ? 0x7bffU : 0x7c00U);
  }
  if (magnitude < 0x1p-14) return sign | static_cast<std::uint32_t>(std::ldexp(magnitude, 24));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // 0.5 to 1
  return sign | (static_cast<std::uint32_t>(exponent + 14) << 10) |
         (static_cast<std::uint32_t>(std::ldexp(fraction, 11)) & 0x3ff);
}

inline double brain_value(std::uint32_t bits) {
  return single_of(bits << 16);
}

inline std::uint32_t brain_bits(double value, std::uint32_t mode = 0) {
  if (value != value) return 0x7fff;
  if (std::isinf(value)) return std::signbit(value) ? 0xff80 : 0x7f80;
  const double result = rounded_to(value, 7, -126, mode);
  if (std::fabs(result) > 0x1.fep127) {
    const bool negative = std::signbit(value);
    const bool towards_zero = mode == 3 || (mode == 1 && !negative) || (mode == 2 && negative);
    return (negative ? 0x8000U : 0U) | (towards_zero ? 0x7f7fU : 0x7f80U);
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(result)) >> 16;
}

}  // namespace warpscope::machine
