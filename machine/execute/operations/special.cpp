// Special functions. The GPU's results differ from these in their last bits: they are correctly rounded here. Code that needs exact results
// (divisions, square roots) takes them as seeds that it improves.
#include <cmath>
#include <numbers>

#include "machine/execute/operations/half.h"
#include "machine/execute/operations/real.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kCos = 0, kSin = 1, kExp2 = 2, kLog2 = 3, kReciprocal = 4, kRoot = 5,
                        kWideReciprocal = 6, kWideRoot = 7, kSquareRoot = 8, kTanh = 9;

/// Of the upper half of a double whose lower half counts as 0; the upper half of the result.
std::uint32_t wide_seed(std::uint32_t high, bool root) {
  const double x = double_of(pair_of(0, high));
  const double value = root ? 1.0 / std::sqrt(x) : 1.0 / x;
  if (value != value) return 0x7fffffffU;
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
}

double function_of(std::uint32_t which, double x) {
  switch (which) {
    case kCos:
      return std::cos(x * 2 * std::numbers::pi);  // arguments are in turns
    case kSin:
      return std::sin(x * 2 * std::numbers::pi);
    case kExp2:
      return std::exp2(x);
    case kLog2:
      return std::log2(x);
    case kReciprocal:
      return 1 / x;
    case kRoot:
      return 1 / std::sqrt(x);
    case kSquareRoot:
      return std::sqrt(x);
    default:
      return std::tanh(x);
  }
}

/// Subnormal arguments and results are 0 with their sign (PTX ISA, rcp.approx.ftz.f32 and its kin).
void special(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneValues a, out;
  const LaneValues& x = read_real(warp, operation.a, a);
  for (unsigned i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1) == 0) {
      out[i] = 0;
    } else if (operation.bits == kWideReciprocal || operation.bits == kWideRoot) {
      out[i] = wide_seed(x[i], operation.bits == kWideRoot);
    } else {
      const double value = function_of(operation.bits, single_of(flushed(x[i])));
      out[i] = flushed(canonical(static_cast<float>(value)));
    }
  }
  write(warp, operation, out, lanes);
}

/// operation.target: 1 of a binary16, 2 of a bfloat16, in the half that the source's part says; the result has 16 bits.
void special_of_half(Warp& warp, const Operation& operation, LaneSet lanes) {
  const bool is_brain = operation.target == 2;
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  LaneValues out{};
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint32_t bits = operation.a.part != 0 ? x[i] >> 16 : x[i] & 0xffff;
    double value = is_brain ? brain_value(bits) : half_value(bits);
    if ((operation.a.change & Source::kAbsolute) != 0) value = std::fabs(value);
    if ((operation.a.change & Source::kMinus) != 0) value = -value;
    const double result = function_of(operation.bits, value);
    out[i] = is_brain ? brain_bits(result) : half_bits(result);
  });
  write(warp, operation, out, lanes);
}

}  // namespace

bool translate_special(Translation& t) {
  if (t.name() != "MUFU" || t.bits(72, 2) == 3 || t.bits(74, 4) > kTanh) return false;
  t.result(0);
  t.operation().a = t.real(1);
  if (t.bits(72, 2) != 0) {
    const bool is_wide = t.bits(74, 4) == kWideReciprocal || t.bits(74, 4) == kWideRoot;
    t.operation().bits = t.bits(74, 4);
    // Before sm_90 bit 73 says binary16.
    t.operation().target = t.code().cubin().architecture() >= 90 ? t.bits(72, 2) : 1;
    return !is_wide && t.operand(1).kind == OperandKind::Register && t.is(special_of_half);
  }
  t.operation().bits = t.bits(74, 4);
  return t.is(special);
}

}  // namespace warpscope::machine
