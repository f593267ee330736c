#include "machine/isa/numbers.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <bit>
#include <cmath>

namespace warpscope::machine {
namespace {

std::string real_text(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-QNAN " : "+QNAN ";
  if (std::isinf(value)) return value < 0 ? "-INF " : "+INF ";
  // From 1e9 on values have 21 digits and an exponent.
  return std::fabs(value) >= 1e9 ? fmt::sprintf("%.20e", value) : fmt::sprintf("%.20g", value);
}

double half_value(std::uint32_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::copysign(NAN, sign);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double brain_value(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}

}  // namespace

std::string immediate_text(std::uint32_t bits, Format format) {
  switch (format) {
    case Format::Signed:
      if (const auto value = static_cast<std::int32_t>(bits); value < 0)
        return fmt::format("-0x{:x}", std::uint32_t{0} - bits);
      break;
    case Format::Unsigned:
      break;
    case Format::Float:
      return real_text(std::bit_cast<float>(bits));
    case Format::Double:
      return real_text(std::bit_cast<double>(std::uint64_t{bits} << 32));
    case Format::Halves:
      return real_text(half_value(bits >> 16)) + ", " + real_text(half_value(bits & 0xffff));
    case Format::BrainHalves:
      return real_text(brain_value(bits >> 16)) + ", " + real_text(brain_value(bits & 0xffff));
  }
  return fmt::format("0x{:x}", bits);
}

}  // namespace warpscope::machine
