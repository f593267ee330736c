// Integers with parts: minima, sums of halves, products and differences of bytes.
#include <algorithm>
#include <cstdlib>

#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

/// One value, or two of 16 bits, without or with sign: the types of VIMNMX in their order.
enum class Kind : std::uint8_t { Unsigned, Signed, UnsignedHalves, SignedHalves };

template <class F>
std::uint32_t by_halves(std::uint32_t a, std::uint32_t b, F f) {
  return (f(a & 0xffff, b & 0xffff) & 0xffff) | f(a >> 16, b >> 16) << 16;
}

/// As read_integer(), of two halves each: a minus is of each half.
const LaneValues& read_halves(const Warp& warp, const Source& source, LaneValues& scratch) {
  if (source.change != Source::kNegated) return read_integer(warp, source, scratch);
  Source plain = source;
  plain.change = Source::kNone;
  LaneValues before;
  const LaneValues& values = read_integer(warp, plain, before);
  for (unsigned i = 0; i < kLanes; ++i)
    scratch[i] = by_halves(0, values[i], [](std::uint32_t p, std::uint32_t q) { return p - q; });
  return scratch;
}

std::uint32_t extreme(Kind kind, std::uint32_t a, std::uint32_t b, bool smaller) {
  const auto of = [smaller](auto x, auto y) {
    return static_cast<std::uint32_t>(smaller ? std::min(x, y) : std::max(x, y));
  };
  switch (kind) {
    case Kind::Unsigned:
      return of(a, b);
    case Kind::Signed:
      return of(as_signed(a), as_signed(b));
    case Kind::UnsignedHalves:
      return by_halves(a, b, of);
    case Kind::SignedHalves:
      return by_halves(a, b, [&](std::uint32_t x, std::uint32_t y) {
        return of(static_cast<std::int16_t>(x), static_cast<std::int16_t>(y));
      });
  }
  return 0;
}

std::uint32_t relu(Kind kind, std::uint32_t value) {
  return extreme(kind, value, 0, false);
}

/// operation.bits: Kind; bit 2: not below 0. kTerms: 2, 3, or 0 for the extreme of a sum and the third.
template <int kTerms>
void minimum(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const auto kind = static_cast<Kind>(operation.bits & 3);
  const auto read = kind >= Kind::UnsignedHalves ? read_halves : read_integer;
  const LaneValues& x = read(warp, operation.a, a);
  const LaneValues& y = read(warp, operation.b, b);
  const LaneSet smaller = warp.predicate(operation.inputs[0]);
  const bool not_negative = (operation.bits & 4) != 0;
  const LaneValues& z = kTerms == 2 ? y : read(warp, operation.c, c);
  for (unsigned i = 0; i < kLanes; ++i) {
    const bool least = (smaller >> i & 1) != 0;
    std::uint32_t value = x[i];
    if constexpr (kTerms == 0)
      value = kind >= Kind::UnsignedHalves
                  ? by_halves(value, y[i], [](std::uint32_t p, std::uint32_t q) { return p + q; })
                  : value + y[i];
    else
      value = extreme(kind, value, y[i], least);
    if constexpr (kTerms != 2) value = extreme(kind, value, z[i], least);
    out[i] = not_negative ? relu(kind, value) : value;
  }
  write(warp, operation, out, lanes);
}

void add_halves(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, out;
  const LaneValues& x = read_halves(warp, operation.a, a);
  const LaneValues& y = read_halves(warp, operation.b, b);
  for (unsigned i = 0; i < kLanes; ++i)
    out[i] = by_halves(x[i], y[i], [](std::uint32_t p, std::uint32_t q) { return p + q; });
  write(warp, operation, out, lanes);
}

std::int32_t part_of(std::uint32_t value, unsigned place, unsigned bits, bool is_signed) {
  const std::uint32_t part = value >> (place * bits);
  if (bits == 8) return is_signed ? static_cast<std::int8_t>(part) : static_cast<std::uint8_t>(part);
  return is_signed ? static_cast<std::int16_t>(part) : static_cast<std::uint16_t>(part);
}

/// Products of bytes, or of two halves and two bytes, summed. operation.bits: 0, 1: first, second have signs; 2: halves; 3: the upper bytes.
void dot_product(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const LaneValues& x = read_integer(warp, operation.a, a);
  const LaneValues& y = read_integer(warp, operation.b, b);
  const LaneValues& z = read_integer(warp, operation.c, c);
  const bool halves = (operation.bits & 4) != 0;
  const unsigned first = (operation.bits & 8) != 0 ? 2 : 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    std::uint32_t sum = z[i];
    for (unsigned part = 0; part < (halves ? 2U : 4U); ++part)
      sum += static_cast<std::uint32_t>(part_of(x[i], part, halves ? 16 : 8, (operation.bits & 1) != 0) *
                                        part_of(y[i], part + first, 8, (operation.bits & 2) != 0));
    out[i] = sum;
  }
  write(warp, operation, out, lanes);
}

/// Differences of bytes (bit 1 of operation.bits) or of whole values without their sign; bit 0: with sign; 2: the third is added.
void absolute_difference(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const LaneValues& x = read_integer(warp, operation.a, a);
  const LaneValues& y = read_integer(warp, operation.b, b);
  const LaneValues& z = read_integer(warp, operation.c, c);
  const bool has_sign = (operation.bits & 1) != 0;
  const bool bytes = (operation.bits & 2) != 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    std::uint32_t value = 0;
    if (!bytes) {
      const bool above = has_sign ? as_signed(x[i]) > as_signed(y[i]) : x[i] > y[i];
      value = (above ? x[i] - y[i] : y[i] - x[i]) + z[i];
    } else {
      std::uint32_t sum = 0;
      for (unsigned part = 0; part < 4; ++part) {
        const auto difference = static_cast<std::uint32_t>(
            std::abs(part_of(x[i], part, 8, has_sign) - part_of(y[i], part, 8, has_sign)));
        sum += difference;
        value |= (difference & 0xff) << part * 8;
      }
      if ((operation.bits & 4) != 0) value = sum + z[i];
    }
    out[i] = value;
  }
  write(warp, operation, out, lanes);
}

bool is_minimum(Translation& t) {
  Operation& operation = t.operation();
  const bool three = t.name() == "VIMNMX3" || t.name() == "VIADDMNMX";
  t.result(0);
  operation.a = t.integer(1);
  operation.b = t.integer(2);
  if (three) operation.c = t.integer(3);
  operation.inputs[0] = t.predicate(three ? 4 : 3);
  operation.bits = t.name() == "IMNMX" ? t.bits(73, 1) : t.bits(72, 2) | t.bits(76, 1) << 2;
  if (t.name() == "VIADDMNMX") return t.is(minimum<0>);
  return t.is(three ? minimum<3> : minimum<2>);
}

bool is_dot_product(Translation& t) {
  Operation& operation = t.operation();
  t.result(0);
  operation.a = t.integer(1);
  operation.b = t.integer(2);
  operation.c = t.integer(3);
  operation.bits = t.bits(73, 2) | t.bits(76, 2) << 2;
  return t.is(dot_product);
}

bool is_difference(Translation& t) {
  Operation& operation = t.operation();
  const bool bytes = t.name() == "VABSDIFF4";
  t.result(0);
  const std::size_t first = bytes ? 1 : 2;  // VABSDIFF has a predicate between them
  if (!bytes && t.operand(1).value != kTruePredicate) return false;
  operation.a = t.integer(first);
  operation.b = t.integer(first + 1);
  operation.c = t.integer(first + 2);
  operation.bits = t.bits(73, 1) | (bytes ? 2U | t.bits(75, 1) << 2 : 0U);
  return t.is(absolute_difference);
}

}  // namespace

bool translate_parts(Translation& t) {
  const std::string_view name = t.name();
  if (name == "IDP") return is_dot_product(t);
  if (name.starts_with("VABSDIFF")) return is_difference(t);
  if (name == "IMNMX" || name.starts_with("VIMNMX") || name == "VIADDMNMX") return is_minimum(t);
  if (name != "VIADD" || !t.has(73)) return false;  // of whole values: with the sums
  t.result(0);
  t.operation().a = t.integer(1);
  t.operation().b = t.integer(2);
  return t.is(add_halves);
}

}  // namespace warpscope::machine
