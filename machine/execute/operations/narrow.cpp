// Conversions to and from narrow numbers: integers that are held within their type and packed, reals of 8 bits, tf32. PTX ISA, "cvt" and "cvt.pack".
#include "machine/execute/operations/narrow.h"

#include <algorithm>
#include <cmath>

#include "machine/execute/operations/half.h"
#include "machine/execute/operations/real.h"
#include "machine/execute/operations/small_real.h"
#include "machine/execute/read.h"

namespace warpscope::machine {
namespace {

/// An integer's type in operation.bits: width (6 bits), then whether it is signed.
struct NarrowType {
  unsigned width;
  bool is_signed;

  explicit NarrowType(std::uint32_t bits) : width(bits & 63), is_signed((bits >> 6 & 1) != 0) {}
  /// Its bits; those above are 0.
  [[nodiscard]] std::uint32_t held(std::int64_t value) const {
    const std::int64_t above = std::int64_t{1} << (is_signed ? width - 1 : width),
                       least = is_signed ? -above : 0;
    return static_cast<std::uint32_t>(std::clamp(value, least, above - 1)) & ((1U << width) - 1);
  }
};
constexpr std::uint32_t kIsSigned = 1U << 6, kRounding = 8;

/// Of the fields `inarrow` (U8, S8, U16, S16) and `itiny` (U2, S2, U4, S4).
std::uint32_t narrow_type(std::uint32_t field, unsigned least) {
  return (least << (field >> 1)) | ((field & 1) != 0 ? kIsSigned : 0U);
}

/// I2I: its sign above it, as of a register that code extends.
void hold_integer(Warp& warp, const Operation& operation, LaneSet lanes) {
  const NarrowType type(operation.bits);
  LaneValues scratch, out;
  const LaneValues& x = read_integer(warp, operation.a, scratch);
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t bits = type.held(static_cast<std::int32_t>(x[i]));
    const unsigned unused = 32 - type.width;
    out[i] = type.is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << unused) >> unused)
                            : bits;
  }
  write(warp, operation, out, lanes);
}

/// I2IP: b is the lowest, a above it, then the lower bits of c.
void pack_integers(Warp& warp, const Operation& operation, LaneSet lanes) {
  const NarrowType type(operation.bits);
  LaneValues a, b, c, out;
  const LaneValues &x = read_integer(warp, operation.a, a), &y = read_integer(warp, operation.b, b),
                   &z = read_integer(warp, operation.c, c);
  for (unsigned i = 0; i < kLanes; ++i) {
    out[i] = type.held(static_cast<std::int32_t>(y[i])) | type.held(static_cast<std::int32_t>(x[i]))
                                                              << type.width;
    if (type.width < 16) out[i] |= z[i] << (2 * type.width);
  }
  write(warp, operation, out, lanes);
}

/// F2IP: as pack_integers(), of singles that are rounded first: 0 to nearest even, 1 down, 2 up, 3 towards 0. What is no number is 0.
void pack_rounded(Warp& warp, const Operation& operation, LaneSet lanes) {
  const NarrowType type(operation.bits);
  const std::uint32_t how = operation.bits >> kRounding & 3;
  const auto integer = [&](std::uint32_t bits) -> std::uint32_t {
    const double value = single_of(bits);
    if (value != value) return 0;
    const double whole = how == 0   ? std::nearbyint(value)
                         : how == 1 ? std::floor(value)
                         : how == 2 ? std::ceil(value)
                                    : std::trunc(value);
    return type.held(static_cast<std::int64_t>(std::clamp(whole, -1e9, 1e9)));
  };
  LaneValues a, b, c, out;
  const LaneValues &x = read_real(warp, operation.a, a), &y = read_real(warp, operation.b, b),
                   &z = read_integer(warp, operation.c, c);
  for (unsigned i = 0; i < kLanes; ++i) {
    out[i] = integer(y[i]) | integer(x[i]) << type.width;
    if (type.width < 16) out[i] |= z[i] << (2 * type.width);
  }
  write(warp, operation, out, lanes);
}

bool is_packed_integer(Translation& t) {
  Operation& operation = t.operation();
  const bool is_tiny = t.name() == "I2IP" && t.has(78);
  operation.bits = narrow_type(t.bits(76, 2), is_tiny ? 2 : 8);
  t.result(0);
  if (t.name() == "I2I") {
    operation.a = t.integer(1);
    return t.is(hold_integer);
  }
  const bool is_real = t.name() == "F2IP";
  if (is_real && (t.has(75) || (t.bits(76, 2) & 2) != 0)) return false;  // .RELU, 16 bits
  operation.a = is_real ? t.real(1) : t.integer(1);
  operation.b = is_real ? t.real(2) : t.integer(2);
  operation.c = t.integer(3);
  operation.c.part = 0;
  if (is_real) operation.bits |= t.bits(78, 2) << kRounding;
  return t.is(is_real ? pack_rounded : pack_integers);
}

/// operation.bits of reals: E4M3 or bf16, not below 0, rounded towards 0, the upper half of the source.
constexpr std::uint32_t kOther = 1, kRelu = 2, kTowardsZero = 4, kUpper = 8, kMerges = 16;

double clipped(double value, std::uint32_t bits) {
  return (bits & kRelu) != 0 && value <= 0 ? 0.0 : value;
}

const SmallFormat& format_of(std::uint32_t bits) {
  return (bits & kOther) != 0 ? kE4m3 : kE5m2;
}

/// Two singles to two numbers of 8 bits, a above b; above them the lower half of c.
void singles_to_small(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const LaneValues &x = read_real(warp, operation.a, a), &y = read_real(warp, operation.b, b),
                   &z = read_integer(warp, operation.c, c);
  const auto small = [&](std::uint32_t bits) {
    return small_bits(clipped(single_of(bits), operation.bits), format_of(operation.bits));
  };
  for (unsigned i = 0; i < kLanes; ++i) out[i] = small(y[i]) | small(x[i]) << 8 | z[i] << 16;
  write(warp, operation, out, lanes);
}

/// The same of two halves in a register.
void halves_to_small(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues b, c, out;
  const LaneValues &y = read_integer(warp, operation.b, b), &z = read_integer(warp, operation.c, c);
  const auto small = [&](std::uint32_t bits) {
    return small_bits(clipped(half_value(bits & 0xffff), operation.bits), format_of(operation.bits));
  };
  for (unsigned i = 0; i < kLanes; ++i) out[i] = small(y[i]) | small(y[i] >> 16) << 8 | z[i] << 16;
  write(warp, operation, out, lanes);
}

void small_to_halves(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues b, out;
  const LaneValues& y = read_integer(warp, operation.b, b);
  const auto half = [&](std::uint32_t bits) {
    return half_bits(clipped(small_value(bits & 0xff, format_of(operation.bits)), operation.bits));
  };
  const unsigned shift = (operation.bits & kUpper) != 0 ? 16 : 0;
  for (unsigned i = 0; i < kLanes; ++i) out[i] = half(y[i] >> shift) | half(y[i] >> (shift + 8)) << 16;
  write(warp, operation, out, lanes);
}

/// To tf32: a single whose lower 13 bits are 0.
void to_tensor_float(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues b, out;
  const LaneValues& y = read_real(warp, operation.b, b);
  const std::uint32_t mode = (operation.bits & kTowardsZero) != 0 ? 3 : 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const double value = clipped(single_of(y[i]), operation.bits);
    out[i] = canonical(static_cast<float>(rounded_to(value, 10, -126, mode)));
    if (value != value) out[i] = kNotANumber;
  }
  write(warp, operation, out, lanes);
}

/// Two singles to two halves that are finite; where it merges, the upper half is that of c.
void singles_to_finite(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const bool is_brain = (operation.bits & kOther) != 0;
  const std::uint32_t mode = (operation.bits & kTowardsZero) != 0 ? 3 : 0,
                      largest = is_brain ? 0x7f7f : 0x7bff;
  const auto half = [&](std::uint32_t bits) {
    const double value = clipped(single_of(bits), operation.bits);
    const std::uint32_t result = is_brain ? brain_bits(value, mode) : half_bits(value, mode);
    return value == value && (result & 0x7fff) > largest ? (result & 0x8000) | largest : result;
  };
  const LaneValues &x = read_real(warp, operation.a, a), &y = read_real(warp, operation.b, b),
                   &z = read_integer(warp, operation.c, c);
  for (unsigned i = 0; i < kLanes; ++i)
    out[i] = half(y[i]) | ((operation.bits & kMerges) != 0 ? z[i] & 0xffff0000U : half(x[i]) << 16);
  write(warp, operation, out, lanes);
}

/// Slots of the sources: of those with one, `lone`.
void set_sources(Translation& t, bool is_lone) {
  Operation& operation = t.operation();
  operation.a = is_lone ? t.of_register(kZeroRegister) : t.real(1);
  operation.b = is_lone ? t.real(1) : t.real(2);
}

bool is_narrow_real(Translation& t) {
  Operation& operation = t.operation();
  const std::uint32_t kind = t.bits(89, 2);
  t.result(0);
  operation.bits = (t.has(75) ? kRelu : 0);
  if (kind == 2) {
    const bool of_halves = t.has(73) && !t.has(78);
    set_sources(t, of_halves);
    operation.c = t.integer(of_halves ? 2 : 3);
    operation.bits |= t.has(76) ? kOther : 0;
    return t.is(of_halves ? halves_to_small : singles_to_small);
  }
  if (kind == 1 && t.has(86)) {
    set_sources(t, true);
    operation.bits |= t.bits(79, 2) == 3 ? kTowardsZero : 0;
    return (t.bits(79, 2) == 0 || t.bits(79, 2) == 3) && t.is(to_tensor_float);
  }
  if (kind == 1) {
    set_sources(t, true);
    operation.b.part = 0;
    operation.bits |= (t.has(73) ? kOther : 0) | (t.has(88) ? kUpper : 0);
    return t.has(74) && t.is(small_to_halves);
  }
  const bool merges = t.has(78);
  set_sources(t, merges);
  operation.c = merges ? t.integer(2) : t.of_register(kZeroRegister);
  operation.bits |=
      (t.has(76) ? kOther : 0) | (merges ? kMerges : 0) | (t.bits(79, 2) == 3 ? kTowardsZero : 0);
  return kind == 0 && t.has(77) && (t.bits(79, 2) == 0 || t.bits(79, 2) == 3) && t.is(singles_to_finite);
}

}  // namespace

bool translate_narrow(Translation& t) {
  const std::string_view name = t.name();
  if (name == "F2FP") return is_narrow_real(t);
  return (name == "I2I" || name == "I2IP" || name == "F2IP") && is_packed_integer(t);
}

}  // namespace warpscope::machine
