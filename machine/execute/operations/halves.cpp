// Packed numbers of 16 bits, two per lane: each result is rounded once.
#include <cmath>

#include "machine/execute/operations/half.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kFlush = 1, kSaturate = 2, kBrain = 4, kAsSingle = 8, kRelu = 16;

/// The value of half `place` of a source, as its part says: both halves, a single, the lower one twice, the upper one twice. A single is
/// cut to a half, towards 0: for sm_75 ptxas makes cvt.rz.f16.f32 an HADD2 of x.F32 and -0, and for the other roundings an F2F.
double read_half(const Source& source, std::uint32_t bits, unsigned place, std::uint32_t how) {
  const bool brain = (how & kBrain) != 0;
  std::uint32_t half = source.part == 2   ? bits & 0xffff
                       : source.part == 3 ? bits >> 16
                                          : bits >> place * 16 & 0xffff;
  if (source.part == 1) half = brain ? brain_bits(single_of(bits), 3) : half_bits(single_of(bits), 3);
  double value = brain ? brain_value(half) : half_value(half);
  if ((how & kFlush) != 0 && std::fabs(value) < (brain ? 0x1p-126 : 0x1p-14))
    value = std::copysign(0.0, value);
  if ((source.change & Source::kAbsolute) != 0) value = std::fabs(value);
  return (source.change & Source::kMinus) != 0 ? -value : value;
}

/// x + y rounded to odd: a second rounding of it to fewer bits is as if there had been no first.
double sum_to_odd(double x, double y) {
  const double sum = x + y;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - x;
  const double error = (x - (sum - part)) + (y - part);  // Knuth's exact error
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

std::uint32_t write_half(double value, std::uint32_t how) {
  if ((how & kRelu) != 0 && value <= 0) value = 0;  // 0 is larger than -0, as of min and max in the PTX ISA
  if ((how & kSaturate) != 0) value = value > 0 ? std::fmin(value, 1.0) : 0.0;
  std::uint32_t bits = (how & kBrain) != 0 ? brain_bits(value) : half_bits(value);
  const std::uint32_t exponent = (how & kBrain) != 0 ? 0x7f80 : 0x7c00;
  if ((how & kFlush) != 0 && (bits & exponent) == 0) bits &= 0x8000;
  return bits;
}

enum class Term : std::uint8_t { Sum, Product, Fused };

/// With .F32 a single of the half that the result is: for sm_75 ptxas makes one HADD2.F32 of add.f16 and cvt.f32.f16, whose sum is rounded.
template <Term kTerm>
void arithmetic(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& y = warp.read(operation.b.is_constant, operation.b.low);
  const LaneValues& z = warp.read(operation.c.is_constant, operation.c.low);
  LaneValues out{};
  const std::uint32_t how = operation.bits;
  for_each_lane(lanes, [&](unsigned i) {
    double values[2];
    for (unsigned place = 0; place < 2; ++place) {
      const double p = read_half(operation.a, x[i], place, how), q = read_half(operation.b, y[i], place, how);
      if constexpr (kTerm == Term::Sum) values[place] = sum_to_odd(p, q);
      if constexpr (kTerm == Term::Product) values[place] = p * q;
      if constexpr (kTerm == Term::Fused)
        values[place] = sum_to_odd(p * q, read_half(operation.c, z[i], place, how));
    }
    const std::uint32_t lower = write_half(values[0], how);
    if ((how & kAsSingle) != 0)
      out[i] = canonical(static_cast<float>((how & kBrain) != 0 ? brain_value(lower) : half_value(lower)));
    else
      out[i] = lower | write_half(values[1], how) << 16;
  });
  write(warp, operation, out, lanes);
}

/// operation.bits from bit 8 on: 0 .NAN, 1 .XORSIGN.
void minimum(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& y = warp.read(operation.b.is_constant, operation.b.low);
  const LaneSet smaller = warp.predicate(operation.inputs[0]);
  Source plain_a = operation.a, plain_b = operation.b;
  plain_a.change = plain_b.change = Source::kNone;
  LaneValues out{};
  for_each_lane(lanes, [&](unsigned i) {
    std::uint32_t halves[2];
    for (unsigned place = 0; place < 2; ++place) {
      // As singles, in which both formats are exact.
      auto p = static_cast<float>(read_half(operation.a, x[i], place, operation.bits));
      auto q = static_cast<float>(read_half(operation.b, y[i], place, operation.bits));
      const bool has_signs = (operation.bits & 0x200) != 0;
      if (has_signs) p = std::fabs(p), q = std::fabs(q);
      const std::uint32_t result =
          extreme_real(std::bit_cast<std::uint32_t>(p), std::bit_cast<std::uint32_t>(q),
                       (smaller >> i & 1) != 0, (operation.bits & 0x100) != 0);
      halves[place] = write_half(single_of(result), operation.bits & kBrain);
      // Of what is in the registers: their absolute values are compared.
      const bool differ = std::signbit(read_half(plain_a, x[i], place, 0)) !=
                          std::signbit(read_half(plain_b, y[i], place, 0));
      if (has_signs && differ && result != kNotANumber) halves[place] |= 0x8000;
    }
    out[i] = halves[0] | halves[1] << 16;
  });
  write(warp, operation, out, lanes);
}

/// The relations of both halves. operation.bits from bit 8 on: how they meet the predicate (2), the comparison (4), .H_AND, .BF.
void relations(const Warp& warp, const Operation& operation, LaneSet (&sets)[2]) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& y = warp.read(operation.b.is_constant, operation.b.low);
  for (unsigned place = 0; place < 2; ++place) {
    LaneValues which;
    for (unsigned i = 0; i < kLanes; ++i)
      which[i] = relation_of(read_half(operation.a, x[i], place, operation.bits),
                             read_half(operation.b, y[i], place, operation.bits));
    sets[place] = holds(operation.bits >> 10 & 15, which);
  }
}

void compare(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneSet sets[2];
  relations(warp, operation, sets);
  const LaneSet with = warp.predicate(operation.inputs[0]);
  const std::uint32_t how = operation.bits >> 8 & 3;
  if ((operation.bits >> 14 & 1) != 0) {  // .H_AND: both at once, and its opposite
    const LaneSet both = sets[0] & sets[1];
    sets[0] = both;
    sets[1] = ~both;
  }
  const LaneSet first = combine(how, sets[0], with), second = combine(how, sets[1], with);
  warp.write_predicate(operation.outputs[0], first, lanes);
  warp.write_predicate(operation.outputs[1], second, lanes);
}

void compare_to_value(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneSet sets[2];
  relations(warp, operation, sets);
  const LaneSet with = warp.predicate(operation.inputs[0]);
  for (LaneSet& set : sets) set = combine(operation.bits >> 8 & 3, set, with);
  const std::uint32_t one = (operation.bits & kBrain) != 0 ? 0x3f80 : 0x3c00;
  const std::uint32_t yes = (operation.bits >> 15 & 1) != 0 ? one : 0xffff;
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i)
    out[i] = ((sets[0] >> i & 1) != 0 ? yes : 0) | ((sets[1] >> i & 1) != 0 ? yes : 0) << 16;
  write(warp, operation, out, lanes);
}

template <Term kTerm>
bool is_arithmetic(Translation& t) {
  Operation& operation = t.operation();
  const bool is_mma = (t.row().opcode & 0x1ffU) == 0x035;
  if (kTerm == Term::Fused && !is_mma && t.has(76)) return false;  // .FMZ, .OOB
  t.result(0);
  operation.a = t.real(1);
  operation.b = t.real(2);
  operation.c = kTerm == Term::Fused ? t.real(3) : operation.b;
  // A part of an immediate, or the bits where others have it, means nothing.
  if (operation.a.is_constant && t.operand(1).kind == OperandKind::Immediate) operation.a.part = 0;
  operation.bits = (t.has(80) ? kFlush : 0) | (t.has(77) ? kSaturate : 0) | (t.has(85) ? kBrain : 0);
  if (!is_mma && t.has(78)) operation.bits |= kAsSingle;
  if (kTerm == Term::Fused && t.has(79)) operation.bits |= kRelu;
  if (kTerm == Term::Fused && t.bits(86, 1) != 0 && !is_mma) return false;  // .H0_NH1
  return t.is(arithmetic<kTerm>);
}

bool is_comparison(Translation& t) {
  Operation& operation = t.operation();
  const bool to_value = t.name() == "HSET2";
  const std::size_t first = to_value ? 1 : 2;
  if (to_value) {
    t.result(0);
  } else {
    t.writes_predicate(0, 0);
    t.writes_predicate(1, 1);
  }
  operation.a = t.real(first);
  operation.b = t.real(first + 1);
  operation.inputs[0] = t.predicate(first + 2);
  operation.bits =
      (t.has(80) ? kFlush : 0) | (t.has(65) ? kBrain : 0) | t.bits(69, 2) << 8 | t.bits(76, 4) << 10;
  operation.bits |= t.bits(71, 1) << (to_value ? 15 : 14);
  return t.is(to_value ? compare_to_value : compare);
}

}  // namespace

bool translate_half(Translation& t) {
  const std::string_view name = t.name();
  if (name == "HADD2") return is_arithmetic<Term::Sum>(t);
  if (name == "HMUL2") return is_arithmetic<Term::Product>(t);
  if (name == "HFMA2") return is_arithmetic<Term::Fused>(t);
  if (name == "HSET2" || name == "HSETP2") return is_comparison(t);
  if (name != "HMNMX2") return false;
  Operation& operation = t.operation();
  t.result(0);
  operation.a = t.real(1);
  operation.b = t.real(2);
  operation.inputs[0] = t.predicate(3);
  operation.bits =
      (t.has(80) ? kFlush : 0) | (t.has(85) ? kBrain : 0) | t.bits(81, 1) << 8 | t.bits(82, 1) << 9;
  return t.is(minimum);
}

}  // namespace warpscope::machine
