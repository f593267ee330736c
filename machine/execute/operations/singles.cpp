// Single precision: each operation rounds once, as IEEE 754 says; what is not a number is 0x7fffffff.
#include <cfenv>
#include <cmath>

#include "machine/execute/operations/real.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

enum class Term : std::uint8_t { Sum, Product, Fused };

template <Term kTerm>
float term_of(float x, float y, float z) {
  if constexpr (kTerm == Term::Sum) return x + y;
  if constexpr (kTerm == Term::Product) return x * y;
  return std::fma(x, y, z);
}

constexpr std::uint32_t kFtz = 1, kSaturated = 2;

/// kFlags: subnormal numbers are 0; the result is held within 0 and 1.
template <Term kTerm, std::uint32_t kFlags>
void arithmetic(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const LaneValues& x = read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  const LaneValues& z = kTerm == Term::Fused ? read_real(warp, operation.c, c) : y;
  for (unsigned i = 0; i < kLanes; ++i) {
    constexpr bool kFlush = (kFlags & kFtz) != 0;
    float value =
        term_of<kTerm>(single_of(kFlush ? flushed(x[i]) : x[i]), single_of(kFlush ? flushed(y[i]) : y[i]),
                       single_of(kFlush ? flushed(z[i]) : z[i]));
    if constexpr ((kFlags & kSaturated) != 0) value = saturated(value);
    const std::uint32_t result = canonical(value);
    out[i] = kFlush ? flushed(result) : result;
  }
  write(warp, operation, out, lanes);
}

/// The other rounding modes (operation.bits: flags, and the mode from bit 2 on), and products that are scaled by a power of two (offset).
template <Term kTerm>
void rounded(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, c, out;
  const LaneValues& x = read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  const LaneValues& z = kTerm == Term::Fused ? read_real(warp, operation.c, c) : y;
  const bool flush = (operation.bits & kFtz) != 0;
  const RoundingMode mode(operation.bits >> 2);
  for (unsigned i = 0; i < kLanes; ++i) {
    // Volatile: the compiler must not move these over the change of the mode.
    volatile float p = single_of(flush ? flushed(x[i]) : x[i]);
    volatile float q = single_of(flush ? flushed(y[i]) : y[i]);
    volatile float r = single_of(flush ? flushed(z[i]) : z[i]);
    volatile float value = kTerm == Term::Product && operation.offset != 0
                               ? std::ldexp(p, static_cast<int>(operation.offset)) * q
                               : term_of<kTerm>(p, q, r);
    const std::uint32_t result = canonical((operation.bits & kSaturated) != 0 ? saturated(value) : value);
    out[i] = flush ? flushed(result) : result;
  }
  write(warp, operation, out, lanes);
}

template <Term kTerm>
constexpr Execute kArithmetic[] = {arithmetic<kTerm, 0>, arithmetic<kTerm, 1>, arithmetic<kTerm, 2>,
                                   arithmetic<kTerm, 3>};

/// operation.bits: 0 .FTZ, 1 .NAN (if one is no number, the result is none), 2 .XORSIGN.
void minimum(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, out;
  const LaneValues& x = read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  const LaneSet smaller = warp.predicate(operation.inputs[0]);
  const bool flush = (operation.bits & 1) != 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t p = flush ? flushed(x[i]) : x[i], q = flush ? flushed(y[i]) : y[i];
    const std::uint32_t sign = (operation.bits & 4) != 0 ? (p ^ q) & kSign : 0;
    const std::uint32_t keep = (operation.bits & 4) != 0 ? ~kSign : ~0U;
    out[i] = extreme_real(p & keep, q & keep, (smaller >> i & 1) != 0, (operation.bits & 2) != 0) ^ sign;
  }
  write(warp, operation, out, lanes);
}

void select(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, out;
  const LaneValues& x = read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  const LaneSet first = warp.predicate(operation.inputs[0]);
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t value = (first >> i & 1) != 0 ? x[i] : y[i];
    out[i] = operation.bits != 0 ? flushed(value) : value;
  }
  write(warp, operation, out, lanes);
}

/// operation.bits: 0 and 1 how it meets the predicate, 2 .FTZ, 3 .BF; from bit 4 on the comparison.
LaneSet compared(Warp& warp, const Operation& operation) {
  LaneValues a, b;
  const LaneValues& x = read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  const bool flush = (operation.bits & 4) != 0;
  LaneValues which;
  for (unsigned i = 0; i < kLanes; ++i)
    which[i] = relation_of(single_of(flush ? flushed(x[i]) : x[i]), single_of(flush ? flushed(y[i]) : y[i]));
  return holds(operation.bits >> 4 & 15, which);
}

void compare(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneSet set = compared(warp, operation);
  const LaneSet with = warp.predicate(operation.inputs[0]);
  const LaneSet first = combine(operation.bits & 3, set, with);
  const LaneSet second = combine(operation.bits & 3, ~set, with);
  warp.write_predicate(operation.outputs[0], first, lanes);
  warp.write_predicate(operation.outputs[1], second, lanes);
}

void compare_to_value(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneSet set =
      combine(operation.bits & 3, compared(warp, operation), warp.predicate(operation.inputs[0]));
  LaneValues out;
  const std::uint32_t yes = (operation.bits & 8) != 0 ? 0x3f800000U : ~0U;
  for (unsigned i = 0; i < kLanes; ++i) out[i] = (set >> i & 1) != 0 ? yes : 0;
  write(warp, operation, out, lanes);
}

/// Whether a quotient needs the slow way: its exponents are too close to the limits for a reciprocal and two steps. The bounds are ours:
/// wider or narrower ones change which way is taken, not the quotient. A numerator of 0 goes the slow way: the other one adds +0 and so loses the sign of -0.
void check_division(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b;
  const LaneValues& x = read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  const LaneSet slow = gather_set([&](unsigned i) {
    const int p = static_cast<int>(x[i] >> 23 & 255), q = static_cast<int>(y[i] >> 23 & 255);
    if (q < 2 || q > 252 || p == 255) return true;
    return p < 24 || p - q > 124 || p - q < -124;
  });
  warp.write_predicate(operation.outputs[0], slow, lanes);
}

/// FSWZADD: sums with the signs that operation.bits has for each lane of eight: 0 +a+b, 1 -a+b, 2 +a-b, 3 only a.
void swizzled_add(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, b, out;
  const LaneValues& x = read_real(warp, operation.a, a);
  const LaneValues& y = read_real(warp, operation.b, b);
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t how = operation.bits >> (i % 8) * 2 & 3;
    const float p = single_of(x[i]), q = single_of(y[i]);
    out[i] = canonical(how == 0 ? p + q : how == 1 ? q - p : how == 2 ? p - q : p);
  }
  write(warp, operation, out, lanes);
}

template <Term kTerm>
bool is_arithmetic(Translation& t) {
  Operation& operation = t.operation();
  t.result(0);
  operation.a = t.real(1);
  operation.b = t.real(2);
  if (kTerm == Term::Fused) operation.c = t.real(3);
  const std::uint32_t flags = (t.has(80) ? kFtz : 0) | (t.has(77) ? kSaturated : 0);
  const std::uint32_t rounding = t.bits(78, 2);
  static constexpr int kScales[] = {0, -3, -2, -1, 0, 1, 2, 3};
  operation.offset = kTerm == Term::Product ? kScales[t.bits(84, 3)] : 0;
  if (rounding == 0 && operation.offset == 0) return t.is(kArithmetic<kTerm>[flags]);
  operation.bits = flags | rounding << 2;
  return t.is(rounded<kTerm>);
}

bool is_comparison(Translation& t) {
  Operation& operation = t.operation();
  const bool to_value = t.name() == "FSET";
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
  operation.bits = t.bits(74, 2) | t.bits(80, 1) << 2 | (to_value ? 8U : 0U) | t.bits(76, 4) << 4;
  return t.is(to_value ? compare_to_value : compare);
}

}  // namespace

bool translate_single(Translation& t) {
  const std::string_view name = t.name();
  Operation& operation = t.operation();
  if (name == "FADD") return is_arithmetic<Term::Sum>(t);
  if (name == "FMUL") return is_arithmetic<Term::Product>(t);
  if (name == "FFMA") return is_arithmetic<Term::Fused>(t);
  if (name == "FSETP" || name == "FSET") return is_comparison(t);
  if (name == "FCHK") {
    t.writes_predicate(0, 0);
    operation.a = t.real(1);
    operation.b = t.real(2);
    return t.is(check_division);
  }
  if (name != "FMNMX" && name != "FSEL" && name != "FSWZADD") return false;
  t.result(0);
  operation.a = t.real(1);
  operation.b = t.real(2);
  if (name == "FSWZADD") {
    operation.bits = t.operand(3).value;
    return !t.has(80) && t.bits(77, 3) == 0 && t.is(swizzled_add);
  }
  operation.inputs[0] = t.predicate(3);
  operation.bits = t.bits(80, 1);
  if (name == "FSEL") return t.is(select);
  operation.bits = t.bits(80, 3);
  return t.is(minimum);
}

}  // namespace warpscope::machine
