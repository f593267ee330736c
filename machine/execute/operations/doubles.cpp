// Double precision.
#include <cmath>

#include "machine/execute/operations/real.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

std::uint64_t canonical_wide(double value) {
  return value != value ? kWideNotANumber : std::bit_cast<std::uint64_t>(value);
}

enum class Term : std::uint8_t { Sum, Product, Fused };

/// operation.bits: the rounding mode.
template <Term kTerm>
void arithmetic(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues x, y, z, out;
  read_wide_real(warp, operation.a, x);
  read_wide_real(warp, operation.b, y);
  if (kTerm == Term::Fused) read_wide_real(warp, operation.c, z);
  const RoundingMode mode(operation.bits);
  for (unsigned i = 0; i < kLanes; ++i) {
    volatile double p = double_of(x[i]);  // not to be moved over the change of the mode
    volatile double q = double_of(y[i]);
    volatile double value = 0;
    if constexpr (kTerm == Term::Sum) value = p + q;
    if constexpr (kTerm == Term::Product) value = p * q;
    if constexpr (kTerm == Term::Fused) value = std::fma(p, q, double_of(z[i]));
    out[i] = canonical_wide(value);
  }
  write_pair(warp, operation, out, lanes);
}

/// Rounded to the nearest, which is what nearly all do.
template <Term kTerm>
void nearest(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues x, y, z, out;
  read_wide_real(warp, operation.a, x);
  read_wide_real(warp, operation.b, y);
  if (kTerm == Term::Fused) read_wide_real(warp, operation.c, z);
  for (unsigned i = 0; i < kLanes; ++i) {
    const double p = double_of(x[i]), q = double_of(y[i]);
    out[i] = canonical_wide(kTerm == Term::Sum       ? p + q
                            : kTerm == Term::Product ? p * q
                                                     : std::fma(p, q, double_of(z[i])));
  }
  write_pair(warp, operation, out, lanes);
}

/// operation.bits: 0 and 1 how it meets the predicate, from bit 4 on the comparison.
void compare(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues x, y;
  read_wide_real(warp, operation.a, x);
  read_wide_real(warp, operation.b, y);
  LaneValues which;
  for (unsigned i = 0; i < kLanes; ++i) which[i] = relation_of(double_of(x[i]), double_of(y[i]));
  const LaneSet set = holds(operation.bits >> 4, which);
  const LaneSet with = warp.predicate(operation.inputs[0]);
  const LaneSet first = combine(operation.bits & 3, set, with);
  const LaneSet second = combine(operation.bits & 3, ~set, with);
  warp.write_predicate(operation.outputs[0], first, lanes);
  warp.write_predicate(operation.outputs[1], second, lanes);
}

/// .MIN and .MAX: whether the first is the smaller or the larger one, -0 below 0; and whether neither is a number. Which of two equal
/// numbers is taken, and what the second predicate is for, are from the code around it: its lanes take the second number, as one that is none.
void choose(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues a, b;
  read_wide_real(warp, operation.a, a);
  read_wide_real(warp, operation.b, b);
  const bool smaller = operation.bits != 0;
  LaneSet first = 0, none = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const double x = double_of(a[i]), y = double_of(b[i]);
    const bool x_is_none = x != x, y_is_none = y != y;
    const bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
    first |= static_cast<LaneSet>(!x_is_none && (y_is_none || less == smaller)) << i;
    none |= static_cast<LaneSet>(x_is_none && y_is_none) << i;
  }
  warp.write_predicate(operation.outputs[0], first, lanes);
  warp.write_predicate(operation.outputs[1], none, lanes);
}

template <Term kTerm>
bool is_arithmetic(Translation& t) {
  Operation& operation = t.operation();
  t.result(0, 2);
  operation.a = t.wide_real(1);
  operation.b = t.wide_real(2);
  if (kTerm == Term::Fused) operation.c = t.wide_real(3);
  operation.bits = t.bits(78, 2);
  return t.is(operation.bits == 0 ? nearest<kTerm> : arithmetic<kTerm>);
}

}  // namespace

bool translate_double(Translation& t) {
  const std::string_view name = t.name();
  if (name == "DADD") return is_arithmetic<Term::Sum>(t);
  if (name == "DMUL") return is_arithmetic<Term::Product>(t);
  if (name == "DFMA") return is_arithmetic<Term::Fused>(t);
  if (name != "DSETP") return false;
  Operation& operation = t.operation();
  t.writes_predicate(0, 0);
  t.writes_predicate(1, 1);
  operation.a = t.wide_real(2);
  operation.b = t.wide_real(3);
  operation.inputs[0] = t.predicate(4);
  const std::uint32_t how = t.bits(76, 4);
  operation.bits = t.bits(74, 2) | how << 4;
  if (how != 0 && how != 15) return t.is(compare);
  operation.bits = how == 0 ? 1 : 0;
  return t.bits(74, 2) == 0 && t.operand(4).value == kTruePredicate && !t.operand(4).is_negated() &&
         t.is(choose);
}

}  // namespace warpscope::machine
