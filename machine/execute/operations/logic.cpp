// Logic, shifts, permutations of bits and bytes, and logic of predicates.
#include <algorithm>
#include <bit>

#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// A function of three bits by its table of truth: bit a·4 + b·2 + c of `table`.
std::uint32_t by_table(std::uint32_t table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t value = 0;
  if ((table & 0x01) != 0) value |= ~a & ~b & ~c;
  if ((table & 0x02) != 0) value |= ~a & ~b & c;
  if ((table & 0x04) != 0) value |= ~a & b & ~c;
  if ((table & 0x08) != 0) value |= ~a & b & c;
  if ((table & 0x10) != 0) value |= a & ~b & ~c;
  if ((table & 0x20) != 0) value |= a & ~b & c;
  if ((table & 0x40) != 0) value |= a & b & ~c;
  if ((table & 0x80) != 0) value |= a & b & c;
  return value;
}

/// operation.bits: the table; bit 8: .PAND. The predicate that is written says whether the result is not 0, or (.PAND: and) one that is read.
void logic3(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& y = warp.read(operation.b.is_constant, operation.b.low);
  const LaneValues& z = warp.read(operation.c.is_constant, operation.c.low);
  LaneValues out;
  const std::uint32_t table = operation.bits & 0xff;
  switch (table) {
    case 0xc0:
      for (unsigned i = 0; i < kLanes; ++i) out[i] = x[i] & y[i];
      break;
    case 0xfc:
      for (unsigned i = 0; i < kLanes; ++i) out[i] = x[i] | y[i];
      break;
    case 0x3c:
      for (unsigned i = 0; i < kLanes; ++i) out[i] = x[i] ^ y[i];
      break;
    default:
      for (unsigned i = 0; i < kLanes; ++i) out[i] = by_table(table, x[i], y[i], z[i]);
  }
  write(warp, operation, out, lanes);
  if (operation.outputs[0] == kNoPredicate) return;
  const LaneSet with = warp.predicate(operation.inputs[0]);
  const LaneSet set = lanes_set(out);
  warp.write_predicate(operation.outputs[0], (operation.bits & 0x100) != 0 ? set & with : set | with, lanes);
}

void predicate_logic(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneSet a = warp.predicate(operation.inputs[0]);
  const LaneSet b = warp.predicate(operation.inputs[1]);
  const LaneSet c = warp.predicate(operation.inputs[2]);
  warp.write_predicate(operation.outputs[0], by_table(operation.bits & 0xff, a, b, c), lanes);
  warp.write_predicate(operation.outputs[1], by_table(operation.bits >> 8, a, b, c), lanes);
}

/// Of the pair (c, a), by b. kBits: 32 or 64, the shift's limit, or (kWrap) what it is taken modulo.
template <unsigned kBits, bool kSigned, bool kRight, bool kWrap, bool kHigh>
void funnel_shift(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& low = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& by = warp.read(operation.b.is_constant, operation.b.low);
  const LaneValues& high = warp.read(operation.c.is_constant, operation.c.low);
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t pair = pair_of(low[i], high[i]);
    const std::uint32_t shift = kWrap ? by[i] & (kBits - 1) : std::min(by[i], kBits);
    const std::uint32_t small = std::min(shift, 63U);
    std::uint64_t value = 0;
    if constexpr (kRight && kSigned)
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(pair) >> small);
    else if constexpr (kRight)
      value = pair >> small;
    else
      value = pair << small;
    if (shift == 64 && !(kRight && kSigned)) value = 0;
    out[i] = static_cast<std::uint32_t>(kHigh ? value >> 32 : value);
  }
  write(warp, operation, out, lanes);
}

template <unsigned kBits, bool kSigned, bool kRight>
Execute shift_by(bool wrap, bool high) {
  if (wrap)
    return high ? funnel_shift<kBits, kSigned, kRight, true, true>
                : funnel_shift<kBits, kSigned, kRight, true, false>;
  return high ? funnel_shift<kBits, kSigned, kRight, false, true>
              : funnel_shift<kBits, kSigned, kRight, false, false>;
}

template <unsigned kBits, bool kSigned>
Execute shift_of(bool right, bool wrap, bool high) {
  return right ? shift_by<kBits, kSigned, true>(wrap, high) : shift_by<kBits, kSigned, false>(wrap, high);
}

/// The bytes that the modes of PRMT choose (PTX ISA, prmt): selectors of four bits, from the first byte on.
std::uint32_t selectors_of(std::uint32_t mode, std::uint32_t control) {
  const std::uint32_t n = control & 3;
  const auto from = [](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return (a & 7) | (b & 7) << 4 | (c & 7) << 8 | (d & 7) << 12;
  };
  switch (mode) {
    case 1:
      return from(n, n + 1, n + 2, n + 3);
    case 2:
      return from(n, n + 7, n + 6, n + 5);
    case 3:
      return from(n, n, n, n);
    case 4:
      return from(std::max(0U, n), std::max(1U, n), std::max(2U, n), std::max(3U, n));
    case 5:
      return from(std::min(0U, n), std::min(1U, n), std::min(2U, n), std::min(3U, n));
    case 6:
      return (n & 1) != 0 ? from(2, 3, 2, 3) : from(0, 1, 0, 1);
    default:
      return control;
  }
}

/// operation.bits: the mode.
void permute(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& control = warp.read(operation.b.is_constant, operation.b.low);
  const LaneValues& y = warp.read(operation.c.is_constant, operation.c.low);
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t bytes = pair_of(x[i], y[i]);
    const std::uint32_t selectors = selectors_of(operation.bits, control[i]);
    std::uint32_t value = 0;
    for (unsigned place = 0; place < 4; ++place) {
      const std::uint32_t selector = selectors >> place * 4 & 15;
      auto byte = static_cast<std::uint8_t>(bytes >> (selector & 7) * 8);
      if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // its sign in all bits
      value |= std::uint32_t{byte} << place * 8;
    }
    out[i] = value;
  }
  write(warp, operation, out, lanes);
}

void select(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& y = warp.read(operation.b.is_constant, operation.b.low);
  const LaneSet first = warp.predicate(operation.inputs[0]);
  LaneValues out = y;
  blend(out, x, first);
  write(warp, operation, out, lanes);
}

/// Of operations with one source: f(value).
template <class F>
void each(Warp& warp, const Operation& operation, LaneSet lanes, F f) {
  LaneValues a, out;
  const LaneValues& x = read_integer(warp, operation.a, a);
  for (unsigned i = 0; i < kLanes; ++i) out[i] = f(x[i]);
  write(warp, operation, out, lanes);
}

void count_bits(Warp& warp, const Operation& operation, LaneSet lanes) {
  each(warp, operation, lanes, [](std::uint32_t x) { return static_cast<std::uint32_t>(std::popcount(x)); });
}

void reverse_bits(Warp& warp, const Operation& operation, LaneSet lanes) {
  each(warp, operation, lanes, [](std::uint32_t x) {
    x = (x & 0x55555555U) << 1 | (x >> 1 & 0x55555555U);
    x = (x & 0x33333333U) << 2 | (x >> 2 & 0x33333333U);
    x = (x & 0x0f0f0f0fU) << 4 | (x >> 4 & 0x0f0f0f0fU);
    return x << 24 | (x & 0xff00U) << 8 | (x >> 8 & 0xff00U) | x >> 24;
  });
}

/// The place of the highest bit that is set (bit 0 of operation.bits: that differs from the sign), or how far it has to be shifted to be the
/// highest (bit 1); all ones if there is none.
void find_leading(Warp& warp, const Operation& operation, LaneSet lanes) {
  const bool is_signed = (operation.bits & 1) != 0;
  const bool as_shift = (operation.bits & 2) != 0;
  LaneValues a;
  const LaneValues& x = read_integer(warp, operation.a, a);
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t value = is_signed && (x[i] & kSign) != 0 ? ~x[i] : x[i];
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(value));
    out[i] = value == 0 ? ~0U : as_shift ? zeros : 31 - zeros;
  }
  write(warp, operation, out, lanes);
  warp.write_predicate(operation.outputs[0], gather_set([&](unsigned i) { return out[i] != ~0U; }), lanes);
}

/// b bits from bit a on. operation.bits: a and b are taken modulo 32, else at most 32.
void bit_mask(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& from = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& width = warp.read(operation.b.is_constant, operation.b.low);
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t first = operation.bits != 0 ? from[i] & 31 : std::min(from[i], 32U);
    const std::uint32_t count = operation.bits != 0 ? width[i] & 31 : std::min(width[i], 32U);
    const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
    out[i] = static_cast<std::uint32_t>(ones << first);
  }
  write(warp, operation, out, lanes);
}

/// The b lowest bits of a with their sign (bit 0 of operation.bits) or zeros in front; bit 1: b is taken modulo 32.
void extend(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& width = warp.read(operation.b.is_constant, operation.b.low);
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t count = (operation.bits & 2) != 0 ? width[i] & 31 : std::min(width[i], 32U);
    const std::uint32_t unused = 32 - count;
    const std::uint32_t up = count == 0 ? 0 : x[i] << unused;
    out[i] = count == 0                  ? 0
             : (operation.bits & 1) != 0 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(up) >> unused)
                                         : up >> unused;
  }
  write(warp, operation, out, lanes);
}

bool is_logic3(Translation& t) {
  Operation& operation = t.operation();
  const bool uniform = t.name() == "ULOP3";
  const std::size_t predicate = 0;
  t.writes_predicate(0, predicate);
  t.result(1);
  operation.a = t.integer(2);
  operation.b = t.integer(3);
  operation.c = t.integer(4);
  operation.bits = t.bits(72, 8) | t.bits(80, 1) << 8;
  operation.inputs[0] = t.predicate(6);
  return (uniform || t.name() == "LOP3") && t.is(logic3);
}

/// The same of the signs of three registers.
void sign_logic(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& a = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& b = warp.read(operation.b.is_constant, operation.b.low);
  const LaneValues& c = warp.read(operation.c.is_constant, operation.c.low);
  const auto set = [&](std::uint32_t table) {
    return gather_set(
        [&](unsigned i) { return table >> ((a[i] >> 31) << 2 | (b[i] >> 31) << 1 | c[i] >> 31) & 1U; });
  };
  const LaneSet first = set(operation.bits & 255), second = set(operation.bits >> 8);
  warp.write_predicate(operation.outputs[0], first, lanes);
  warp.write_predicate(operation.outputs[1], second, lanes);
}

bool is_predicate_logic(Translation& t) {
  Operation& operation = t.operation();
  if (t.name() == "PLOP3" && (t.row().opcode & 0x1ffU) == 0x01f) {
    t.writes_predicate(0, 0);
    t.writes_predicate(1, 1);
    operation.a = t.words(2, 1);
    operation.b = t.words(3, 1);
    operation.c = t.words(4, 1);
    operation.bits = t.bits(72, 8) | t.bits(16, 8) << 8;
    operation.results = 0;
    return t.is(sign_logic);
  }
  if ((t.row().opcode & 0xfffU) != 0x81c && t.name() != "UPLOP3") return false;
  t.writes_predicate(0, 0);
  t.writes_predicate(1, 1);
  for (std::size_t input = 0; input < 3; ++input) operation.inputs[input] = t.predicate(2 + input);
  operation.bits = t.operand(5).value | std::uint32_t{t.operand(6).value} << 8;
  return t.is(predicate_logic);
}

bool is_shift(Translation& t) {
  Operation& operation = t.operation();
  t.result(0);
  operation.a = t.integer(1);
  operation.b = t.integer(2);
  operation.c = t.integer(3);
  const bool right = t.has(76), wrap = t.has(75), high = t.has(80);
  switch (t.bits(73, 2)) {
    case 0:
      return t.is(shift_of<64, true>(right, wrap, high));
    case 1:
      return t.is(shift_of<64, false>(right, wrap, high));
    case 2:
      return t.is(shift_of<32, true>(right, wrap, high));
    default:
      return t.is(shift_of<32, false>(right, wrap, high));
  }
}

}  // namespace

bool translate_logic(Translation& t) {
  std::string_view name = t.name();
  if (name.starts_with('U')) name.remove_prefix(1);
  if (name == "LOP3") return is_logic3(t);
  if (name == "PLOP3") return is_predicate_logic(t);
  if (name == "SHF") return is_shift(t);
  Operation& operation = t.operation();
  if (name == "FLO") {
    t.writes_predicate(0, 0);
    t.result(1);
    operation.a = t.integer(2);
    operation.bits = t.bits(73, 2);
    return t.is(find_leading);
  }
  const bool one = name == "POPC" || name == "BREV";
  const bool two = name == "SEL" || name == "BMSK" || name == "SGXT";
  if (!one && !two && name != "PRMT") return false;
  t.result(0);
  operation.a = t.integer(1);
  if (name == "POPC") return t.is(count_bits);
  if (name == "BREV") return t.is(reverse_bits);
  operation.b = t.integer(2);
  if (name == "SEL") {
    operation.inputs[0] = t.predicate(3);
    return t.is(select);
  }
  if (name == "BMSK") {
    operation.bits = t.bits(75, 1);
    return t.is(bit_mask);
  }
  if (name == "SGXT") {
    operation.bits = t.bits(73, 1) | t.bits(75, 1) << 1;
    return t.is(extend);
  }
  operation.c = t.integer(3);
  operation.bits = t.bits(72, 3);
  return t.is(permute);
}

}  // namespace warpscope::machine
