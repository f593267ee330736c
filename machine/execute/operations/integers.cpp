// Integers: sums, products, comparisons.
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// Adds a source as 32 bits without sign: a negated one as its complement and 1, as its carry tells.
void add_term(const Warp& warp, const Source& source, WideValues& sum) {
  const LaneValues& values = warp.read(source.is_constant, source.low);
  if (source.change == Source::kNone) {
    for (unsigned i = 0; i < kLanes; ++i) sum[i] += values[i];
    return;
  }
  const std::uint64_t add = (source.change & Source::kNegated) != 0 ? 1 : 0;
  for (unsigned i = 0; i < kLanes; ++i) sum[i] += std::uint64_t{static_cast<std::uint32_t>(~values[i])} + add;
}

/// The sum of three, the carries of the two lower bits behind it as predicates. Without predicates it is a loop of 32 bits.
void add3(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, sum;
  const LaneValues& x = read_integer(warp, operation.a, a);
  const LaneValues& y = read_integer(warp, operation.b, b);
  const LaneValues& z = read_integer(warp, operation.c, c);
  for (unsigned i = 0; i < kLanes; ++i) sum[i] = x[i] + y[i] + z[i];
  write(warp, operation, sum, lanes);
}

template <bool kExtended>
void add3_carry(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues sum{};
  if constexpr (kExtended) {
    const LaneSet first = warp.predicate(operation.inputs[0]);
    const LaneSet second = warp.predicate(operation.inputs[1]);
    for (unsigned i = 0; i < kLanes; ++i) sum[i] = (first >> i & 1) + (second >> i & 1);
  }
  add_term(warp, operation.a, sum);
  add_term(warp, operation.b, sum);
  add_term(warp, operation.c, sum);
  LaneValues low;
  for (unsigned i = 0; i < kLanes; ++i) low[i] = static_cast<std::uint32_t>(sum[i]);
  write(warp, operation, low, lanes);
  warp.write_predicate(operation.outputs[0], gather_set([&](unsigned i) { return sum[i] >> 32 != 0; }),
                       lanes);
  warp.write_predicate(operation.outputs[1], gather_set([&](unsigned i) { return sum[i] >> 33 != 0; }),
                       lanes);
}

/// UIADD3.64: its terms are pairs.
void add3_wide(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues a, b, c;
  read_wide_integer(warp, operation.a, a);
  read_wide_integer(warp, operation.b, b);
  read_wide_integer(warp, operation.c, c);
  for (unsigned i = 0; i < kLanes; ++i) a[i] += b[i] + c[i];
  write_pair(warp, operation, a, lanes);
}

void multiply_add(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const LaneValues& x = read_integer(warp, operation.a, a);
  const LaneValues& y = read_integer(warp, operation.b, b);
  const LaneValues& z = read_integer(warp, operation.c, c);
  for (unsigned i = 0; i < kLanes; ++i) out[i] = x[i] * y[i] + z[i];
  write(warp, operation, out, lanes);
}

void multiply_add_extended(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const LaneValues& x = read_integer(warp, operation.a, a);
  const LaneValues& y = read_integer(warp, operation.b, b);
  const LaneValues& z = read_integer(warp, operation.c, c);
  const LaneSet carry = warp.predicate(operation.inputs[0]);
  for (unsigned i = 0; i < kLanes; ++i) out[i] = x[i] * y[i] + z[i] + (carry >> i & 1);
  write(warp, operation, out, lanes);
}

template <bool kSigned>
std::uint64_t product_of(std::uint32_t x, std::uint32_t y) {
  return kSigned ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)} *
                                              static_cast<std::int32_t>(y))
                 : std::uint64_t{x} * y;
}

/// The product of 64 bits, a pair added; kHigh: only the upper half of it is written.
template <bool kSigned, bool kHigh>
void multiply_add_wide(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b;
  WideValues sum;
  const LaneValues& x = read_integer(warp, operation.a, a);
  const LaneValues& y = read_integer(warp, operation.b, b);
  read_wide_integer(warp, operation.c, sum);
  const LaneSet extended = operation.bits != 0 ? warp.predicate(operation.inputs[0]) : 0;
  if (!kHigh && operation.bits == 0 && operation.outputs[0] == kNoPredicate) {
    for (unsigned i = 0; i < kLanes; ++i) sum[i] += product_of<kSigned>(x[i], y[i]);
    write_pair(warp, operation, sum, lanes);
    return;
  }
  LaneSet carries = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t product = product_of<kSigned>(x[i], y[i]);
    const std::uint64_t before = sum[i];
    sum[i] = before + product + (extended >> i & 1);
    carries |= static_cast<LaneSet>(sum[i] < product || (sum[i] == product && before != 0)) << i;
  }
  if constexpr (kHigh) {
    LaneValues high;
    for (unsigned i = 0; i < kLanes; ++i) high[i] = static_cast<std::uint32_t>(sum[i] >> 32);
    write(warp, operation, high, lanes);
  } else {
    write_pair(warp, operation, sum, lanes);
  }
  warp.write_predicate(operation.outputs[0], carries, lanes);
}

std::int32_t as_signed(std::uint32_t value) {
  return static_cast<std::int32_t>(value);
}

/// The values of the numbers with which comparisons are coded.
enum class Comparison : std::uint8_t { Never, Less, Equal, AtMost, More, Differ, AtLeast, Always };

template <Comparison kHow, class T>
bool compares(T a, T b) {
  switch (kHow) {
    case Comparison::Never:
      return false;
    case Comparison::Less:
      return a < b;
    case Comparison::Equal:
      return a == b;
    case Comparison::AtMost:
      return a <= b;
    case Comparison::More:
      return a > b;
    case Comparison::Differ:
      return a != b;
    case Comparison::AtLeast:
      return a >= b;
    case Comparison::Always:
      return true;
  }
  return false;
}

/// operation.bits: how the comparison meets the predicate; bit 2: .EX, the upper halves of 64 bits, whose lower ones are in P68.
template <Comparison kHow, bool kSigned>
void compare(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b;
  const LaneValues& x = read_integer(warp, operation.a, a);
  const LaneValues& y = read_integer(warp, operation.b, b);
  LaneValues result;
  for (unsigned i = 0; i < kLanes; ++i)
    result[i] = kSigned ? compares<kHow>(as_signed(x[i]), as_signed(y[i])) : compares<kHow>(x[i], y[i]);
  LaneSet set = lanes_set(result);
  if ((operation.bits & 4) != 0) {
    const LaneSet equal = gather_set([&](unsigned i) { return x[i] == y[i]; });
    set = (set & ~equal) | (warp.predicate(operation.inputs[2]) & equal);
  }
  const LaneSet with = warp.predicate(operation.inputs[0]);
  const LaneSet first = combine(operation.bits & 3, set, with);
  const LaneSet second = combine(operation.bits & 3, ~set, with);
  warp.write_predicate(operation.outputs[0], first, lanes);
  warp.write_predicate(operation.outputs[1], second, lanes);
}

template <bool kSigned>
constexpr Execute kComparisons[] = {
    compare<Comparison::Never, kSigned>,   compare<Comparison::Less, kSigned>,
    compare<Comparison::Equal, kSigned>,   compare<Comparison::AtMost, kSigned>,
    compare<Comparison::More, kSigned>,    compare<Comparison::Differ, kSigned>,
    compare<Comparison::AtLeast, kSigned>, compare<Comparison::Always, kSigned>,
};

void absolute(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, out;
  const LaneValues& x = read_integer(warp, operation.a, a);
  for (unsigned i = 0; i < kLanes; ++i) out[i] = as_signed(x[i]) < 0 ? 0 - x[i] : x[i];
  write(warp, operation, out, lanes);
}

/// LEA: operation.offset is the shift; bit 0 of operation.bits: the upper half of the shifted pair; 1: the pair's upper half is the sign;
/// 2: with a carry in.
void shift_add(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues b, out;
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& y = read_integer(warp, operation.b, b);
  const LaneValues& z = warp.read(operation.c.is_constant, operation.c.low);
  const bool upper = (operation.bits & 1) != 0;
  const bool by_sign = (operation.bits & 2) != 0;
  const auto shift = static_cast<unsigned>(operation.offset);
  const LaneSet carry = (operation.bits & 4) != 0 ? warp.predicate(operation.inputs[0]) : 0;
  LaneSet carries = 0;
  if (operation.bits == 0 && operation.a.change == Source::kNone && operation.outputs[0] == kNoPredicate) {
    for (unsigned i = 0; i < kLanes; ++i) out[i] = (x[i] << shift) + y[i];
    write(warp, operation, out, lanes);
    return;
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t high = by_sign ? static_cast<std::uint32_t>(as_signed(x[i]) >> 31) : z[i];
    std::uint32_t shifted =
        upper ? static_cast<std::uint32_t>((pair_of(x[i], high) << shift) >> 32) : x[i] << shift;
    std::uint64_t sum = carry >> i & 1;
    if ((operation.a.change & (Source::kNegated | Source::kComplement)) != 0) shifted = ~shifted;
    if ((operation.a.change & Source::kNegated) != 0) ++sum;
    sum += std::uint64_t{shifted} + y[i];
    out[i] = static_cast<std::uint32_t>(sum);
    carries |= static_cast<LaneSet>(sum >> 32 != 0) << i;
  }
  write(warp, operation, out, lanes);
  warp.write_predicate(operation.outputs[0], carries, lanes);
}

bool is_three_operand_sum(Translation& t) {
  Operation& operation = t.operation();
  t.result(0);
  t.writes_predicate(0, 1);
  t.writes_predicate(1, 2);
  operation.a = t.integer(3);
  operation.b = t.integer(4);
  operation.c = t.integer(5);
  if (t.has(74)) {
    operation.inputs[0] = t.predicate(6);
    operation.inputs[1] = t.predicate(7);
    return t.is(add3_carry<true>);
  }
  const bool has_carry = operation.outputs[0] != kNoPredicate || operation.outputs[1] != kNoPredicate;
  return t.is(has_carry ? add3_carry<false> : add3);
}

bool is_product(Translation& t) {
  Operation& operation = t.operation();
  const unsigned code = t.row().opcode & 0x1ffU;
  const bool is_signed = t.has(73);
  if (code == 0x024 || code == 0x0a4) {
    t.result(0);
    operation.a = t.integer(1);
    operation.b = t.integer(2);
    operation.c = t.integer(3);
    if (!t.has(74)) return t.is(multiply_add);
    operation.inputs[0] = t.predicate(4);
    return t.is(multiply_add_extended);
  }
  const bool high = code == 0x027 || code == 0x0a7;
  t.result(0, high ? 1 : 2);
  t.writes_predicate(0, 1);
  operation.a = t.integer(2);
  operation.b = t.integer(3);
  operation.c = t.wide_integer(4, is_signed);
  operation.bits = t.has(74) ? 1 : 0;
  if (t.has(74)) operation.inputs[0] = t.predicate(5);
  if (high) return t.is(is_signed ? multiply_add_wide<true, true> : multiply_add_wide<false, true>);
  return t.is(is_signed ? multiply_add_wide<true, false> : multiply_add_wide<false, false>);
}

bool is_comparison(Translation& t) {
  Operation& operation = t.operation();
  t.writes_predicate(0, 0);
  t.writes_predicate(1, 1);
  operation.a = t.integer(2);
  operation.b = t.integer(3);
  operation.inputs[0] = t.predicate(4);
  operation.bits = t.bits(74, 2);
  if (t.has(72)) {
    operation.bits |= 4;
    operation.inputs[2] = t.predicate(5);
  }
  const std::uint32_t how = t.bits(76, 3);
  return t.is(t.has(73) ? kComparisons<true>[how] : kComparisons<false>[how]);
}

bool is_shift_add(Translation& t) {
  Operation& operation = t.operation();
  const bool upper = t.has(80);
  const bool by_sign = upper && t.has(73);
  t.result(0);
  t.writes_predicate(0, 1);
  operation.a = t.integer(2);
  operation.b = t.integer(3);
  std::size_t slot = 4;
  operation.c = t.of_register(kZeroRegister);
  if (upper && !by_sign) operation.c = t.integer(slot++);
  operation.offset = t.operand(slot++).value;
  operation.bits = (upper ? 1U : 0U) | (by_sign ? 2U : 0U) | (t.has(74) ? 4U : 0U);
  if (t.has(74)) operation.inputs[0] = t.predicate(slot);
  return t.is(shift_add);
}

}  // namespace

bool translate_integer(Translation& t) {
  std::string_view name = t.name();
  if (name == "UIADD3" && (t.row().opcode & 0x1ffU) == 0x097) {
    t.result(0, 2);
    t.operation().a = t.wide_integer(3, false);
    t.operation().b = t.wide_integer(4, true);
    t.operation().c = t.wide_integer(5, false);
    return t.operand(1).value == kTruePredicate && t.operand(2).value == kTruePredicate && t.is(add3_wide);
  }
  if (name.starts_with('U')) name.remove_prefix(1);
  if (name == "IADD3") return is_three_operand_sum(t);
  if (name == "IMAD") return is_product(t);
  if (name == "ISETP") return is_comparison(t);
  if (name == "LEA") return is_shift_add(t);
  if (name == "VIADD" && !t.has(73)) {
    t.result(0);
    t.operation().a = t.integer(1);
    t.operation().b = t.integer(2);
    t.operation().c = t.of_register(kZeroRegister);
    return t.is(add3);
  }
  if (name == "IABS") {
    t.result(0);
    t.operation().a = t.integer(1);
    return t.is(absolute);
  }
  return false;
}

}  // namespace warpscope::machine
