// Conversions between integers and real numbers of all widths.
#include <cmath>
#include <limits>

#include "machine/execute/operations/half.h"
#include "machine/execute/operations/narrow.h"
#include "machine/execute/operations/real.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// The numbers of the field `ftype`.
constexpr std::uint32_t kF16 = 1, kF32 = 2, kF64 = 3, kBF16 = 4;

struct Formats {
  std::uint32_t to = 0, from = 0, mode = 0;
  bool flush = false, other = false;
};

Formats formats_of(std::uint32_t bits) {
  return {bits & 7, bits >> 3 & 7, bits >> 6 & 3, (bits >> 8 & 1) != 0, (bits >> 9 & 1) != 0};
}
std::uint32_t packed(std::uint32_t to, std::uint32_t from, std::uint32_t mode, bool flush, bool other) {
  return to | from << 3 | mode << 6 | (flush ? 256U : 0U) | (other ? 512U : 0U);
}

/// The source of a conversion as doubles, which hold all of its formats. A packed half is chosen by Source::part.
void read_as_doubles(const Warp& warp, const Source& source, const Formats& formats,
                     double (&values)[kLanes]) {
  if (formats.from == kF64) {
    WideValues wide;
    read_wide_real(warp, source, wide);
    for (unsigned i = 0; i < kLanes; ++i) values[i] = double_of(wide[i]);
    return;
  }
  Source plain = source;
  if (formats.from != kF32) plain.change = Source::kNone;
  LaneValues scratch;
  const LaneValues& x = read_real(warp, plain, scratch);
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t part = source.part == 1 ? x[i] >> 16 : x[i] & 0xffff;  // .H1
    double value = formats.from == kF16    ? half_value(part)
                   : formats.from == kBF16 ? brain_value(part)
                                           : single_of(formats.flush ? flushed(x[i]) : x[i]);
    if (formats.from != kF32 && (source.change & Source::kAbsolute) != 0) value = std::fabs(value);
    if (formats.from != kF32 && (source.change & Source::kMinus) != 0) value = -value;
    values[i] = value;
  }
}

float to_single(double value, std::uint32_t mode) {
  const RoundingMode rounding(mode);
  volatile double before = value;  // not to be moved over the change of the mode
  volatile float result = static_cast<float>(before);
  return result;
}

void write_real(Warp& warp, const Operation& operation, const Formats& formats,
                const double (&values)[kLanes], LaneSet lanes) {
  if (formats.to == kF64) {
    WideValues out;
    for (unsigned i = 0; i < kLanes; ++i)
      out[i] = values[i] != values[i] ? kWideNotANumber : std::bit_cast<std::uint64_t>(values[i]);
    write_pair(warp, operation, out, lanes);
    return;
  }
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (formats.to == kF16) out[i] = half_bits(values[i], formats.mode);
    if (formats.to == kBF16) out[i] = brain_bits(values[i], formats.mode);
    if (formats.to != kF32) continue;
    const std::uint32_t result = canonical(to_single(values[i], formats.mode));
    out[i] = formats.flush ? flushed(result) : result;
  }
  write(warp, operation, out, lanes);
}

void real_to_real(Warp& warp, const Operation& operation, LaneSet lanes) {
  const Formats formats = formats_of(operation.bits);
  double values[kLanes];
  read_as_doubles(warp, operation.a, formats, values);
  write_real(warp, operation, formats, values, lanes);
}

/// 0 nearest even, 1 floor, 2 ceiling, 3 truncated: the field `round`.
double to_whole(double value, std::uint32_t how) {
  if (how == 1) return std::floor(value);
  if (how == 2) return std::ceil(value);
  return how == 3 ? std::trunc(value) : std::nearbyint(value);
}

void round_to_whole(Warp& warp, const Operation& operation, LaneSet lanes) {
  const Formats formats = formats_of(operation.bits);
  double values[kLanes];
  read_as_doubles(warp, operation.a, formats, values);
  for (double& value : values) value = to_whole(value, formats.mode);
  Formats to = formats;
  to.mode = 0;
  write_real(warp, operation, to, values, lanes);
}

/// The integer types: bit 0 signed, bits 1 and 2 the width (8, 16, 32, 64), as the field `itype`.
struct IntegerType {
  bool is_signed;
  unsigned width;
};
IntegerType integer_type(std::uint32_t field) {
  return {(field & 1) != 0, 8U << (field >> 1)};
}

/// Held within the type. What is no number is 0 with .NTZ, else the value whose only bit is the highest.
std::uint64_t to_integer(double value, IntegerType type, bool none_is_zero) {
  if (value != value) return none_is_zero ? 0 : std::uint64_t{1} << (type.width - 1);
  const double above = std::ldexp(1.0, static_cast<int>(type.width) - (type.is_signed ? 1 : 0));
  if (type.is_signed) {
    const std::uint64_t least = std::uint64_t{1} << (type.width - 1);
    if (value < -above) return ~(least - 1);
    if (value >= above) return least - 1;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  if (value <= 0) return 0;
  if (value >= above) return type.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.width) - 1;
  return static_cast<std::uint64_t>(value);
}

/// operation.offset: the integer's type.
void real_to_integer(Warp& warp, const Operation& operation, LaneSet lanes) {
  const Formats formats = formats_of(operation.bits);
  const IntegerType type = integer_type(static_cast<std::uint32_t>(operation.offset));
  double values[kLanes];
  read_as_doubles(warp, operation.a, formats, values);
  WideValues out;
  for (unsigned i = 0; i < kLanes; ++i)
    out[i] = to_integer(to_whole(values[i], formats.mode), type, formats.other);
  if (type.width == 64) {
    write_pair(warp, operation, out, lanes);
    return;
  }
  LaneValues low;
  for (unsigned i = 0; i < kLanes; ++i) low[i] = static_cast<std::uint32_t>(out[i]);
  write(warp, operation, low, lanes);
}

float integer_to_single(std::uint64_t value, bool is_signed, std::uint32_t mode) {
  const RoundingMode rounding(mode);
  volatile std::uint64_t before = value;  // not to be moved over the change of the mode
  volatile float result =
      is_signed ? static_cast<float>(static_cast<std::int64_t>(before)) : static_cast<float>(before);
  return result;
}

double integer_to_double(std::uint64_t value, bool is_signed, std::uint32_t mode) {
  const RoundingMode rounding(mode);
  volatile std::uint64_t before = value;
  volatile double result =
      is_signed ? static_cast<double>(static_cast<std::int64_t>(before)) : static_cast<double>(before);
  return result;
}

/// A double between the same two numbers of any shorter type as the integer: rounded to odd, so that rounding again rounds once.
double integer_to_odd(std::uint64_t value, bool is_signed) {
  const bool is_negative = is_signed && value >> 63 != 0;
  std::uint64_t size = is_negative ? 0 - value : value;
  constexpr int kFraction = 53;  // bits of a double's fraction with the first one
  if (const int more = 64 - kFraction - std::countl_zero(size); more > 0) {
    const std::uint64_t unit = std::uint64_t{1} << more, lost = size & (unit - 1);
    size = (size - lost) | (lost != 0 ? unit : 0);
  }
  return is_negative ? -static_cast<double>(size) : static_cast<double>(size);
}

/// The source of `type` as 64 bits with its sign; a byte or a half is chosen by Source::part.
void read_integers(const Warp& warp, const Source& source, IntegerType type, WideValues& values) {
  if (type.width == 64) {
    read_wide_integer(warp, source, values);
    return;
  }
  LaneValues scratch;
  const LaneValues& x = read_integer(warp, source, scratch);
  for (unsigned i = 0; i < kLanes; ++i) {
    const unsigned unused = 64 - type.width;
    const std::uint64_t up = std::uint64_t{x[i] >> source.part * 8} << unused;
    values[i] =
        type.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(up) >> unused) : up >> unused;
  }
}

void integer_to_real(Warp& warp, const Operation& operation, LaneSet lanes) {
  const Formats formats = formats_of(operation.bits);
  const IntegerType type = integer_type(static_cast<std::uint32_t>(operation.offset));
  WideValues x;
  read_integers(warp, operation.a, type, x);
  if (formats.to == kF32) {
    LaneValues out;
    for (unsigned i = 0; i < kLanes; ++i)
      out[i] = canonical(integer_to_single(x[i], type.is_signed, formats.mode));
    write(warp, operation, out, lanes);
    return;
  }
  double values[kLanes];
  for (unsigned i = 0; i < kLanes; ++i)
    values[i] = formats.to == kF64 ? integer_to_double(x[i], type.is_signed, formats.mode)
                                   : integer_to_odd(x[i], type.is_signed);
  write_real(warp, operation, formats, values, lanes);
}

/// Two singles to two halves: a is the upper one. operation.bits: formats; with `other` not below 0; offset: c's upper half is the upper one.
void pack_halves(Warp& warp, const Operation& operation, LaneSet lanes) {
  const Formats formats = formats_of(operation.bits);
  LaneValues a, b, c, out;
  const bool merges = operation.offset != 0;
  const LaneValues& x = merges ? read_integer(warp, operation.c, c) : read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  const auto half = [&](std::uint32_t bits) {
    double value = single_of(bits);
    if (formats.other && value <= 0) value = 0;  // also of -0
    return formats.to == kBF16 ? brain_bits(value, formats.mode) : half_bits(value, formats.mode);
  };
  for (unsigned i = 0; i < kLanes; ++i)
    out[i] = (merges ? x[i] & 0xffff0000U : half(x[i]) << 16) | half(y[i]);
  write(warp, operation, out, lanes);
}

bool is_pack(Translation& t) {
  Operation& operation = t.operation();
  if (t.bits(89, 2) != 0 || t.has(77)) return translate_narrow(t);
  const bool merges = t.has(78);
  t.result(0);
  operation.a = merges ? t.of_register(kZeroRegister) : t.real(1);
  operation.b = t.real(merges ? 1 : 2);
  operation.c = merges ? t.integer(2) : t.of_register(kZeroRegister);
  operation.offset = merges ? 1 : 0;
  operation.bits = packed(t.has(76) ? kBF16 : kF16, kF32, t.bits(79, 2), false, t.has(75));
  return t.is(pack_halves);
}

bool is_supported(std::uint32_t format) {
  return format >= kF16 && format <= kBF16;
}

}  // namespace

bool translate_conversion(Translation& t) {
  const std::string_view name = t.name();
  Operation& operation = t.operation();
  if (name == "F2FP") return is_pack(t);
  const std::uint32_t at_75 = t.bits(75, 3), at_84 = t.bits(84, 3), mode = t.bits(78, 2);
  const bool flush = t.has(80);
  if (name == "F2F" || name == "FRND") {
    const std::uint32_t to = name == "F2F" ? at_75 : at_84;
    t.result(0, to == kF64 ? 2 : 1);
    operation.a = at_84 == kF64 ? t.wide_real(1) : t.real(1);
    operation.bits = packed(to, at_84, mode, flush, false);
    return is_supported(to) && is_supported(at_84) && t.is(name == "F2F" ? real_to_real : round_to_whole);
  }
  if (name == "F2I") {
    const std::uint32_t type = t.bits(75, 2) << 1 | t.bits(72, 1);
    t.result(0, type >= 6 ? 2 : 1);
    operation.a = at_84 == kF64 ? t.wide_real(1) : t.real(1);
    operation.bits = packed(0, at_84, mode, flush, t.has(77));
    operation.offset = type;
    return is_supported(at_84) && t.is(real_to_integer);
  }
  if (name == "I2F" || name == "I2FP") {
    const std::uint32_t type = name == "I2FP" ? 4 | t.bits(74, 1) : t.bits(84, 2) << 1 | t.bits(74, 1);
    const std::uint32_t to = name == "I2FP" ? std::uint32_t{kF32} : at_75;
    t.result(0, to == kF64 ? 2 : 1);
    // An immediate is the upper half of 64 bits.
    const bool is_upper_half = type >= 6 && t.operand(1).kind == OperandKind::Immediate;
    operation.a = is_upper_half ? t.wide_real(1) : type >= 6 ? t.wide_integer(1, true) : t.integer(1);
    if (type >= 4) operation.a.part = 0;
    operation.bits = packed(to, 0, mode, false, false);
    operation.offset = type;
    return is_supported(to) && t.is(integer_to_real);
  }
  return translate_narrow(t);
}

}  // namespace warpscope::machine
