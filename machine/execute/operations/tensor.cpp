// Matrix products of a warp. Fragments: PTX ISA, "Matrix Fragments for mma". A lane has row lane / 4 of A and column lane / 4 of B, of which each
// register holds the elements lane % 4 of as many blocks as it has elements; registers go through halves of the rows first, then along the depth.
#include <bit>
#include <cmath>

#include "machine/execute/operations/half.h"
#include "machine/execute/operations/real.h"
#include "machine/execute/operations/small_real.h"
#include "machine/execute/operations/tensor_sum.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// operation.bits of a product of integers: rows / 8 (4 bits), registers of B (4), 4 bits an element (1), A and B have signs (2), .SAT.
struct IntegerShape {
  unsigned row_blocks, depth_blocks, bits;
  bool a_has_sign, b_has_sign, saturates;
};

IntegerShape shape_of(std::uint32_t bits) {
  return {bits & 15,
          bits >> 4 & 15,
          (bits >> 8 & 1) != 0 ? 4U : 8U,
          (bits >> 9 & 1) != 0,
          (bits >> 10 & 1) != 0,
          (bits >> 11 & 1) != 0};
}

std::int64_t element(std::uint32_t word, unsigned number, unsigned bits, bool has_sign) {
  const std::uint32_t up = word << (32 - bits - number * bits);
  return has_sign ? static_cast<std::int32_t>(up) >> (32 - bits) : std::int64_t{up >> (32 - bits)};
}

std::uint32_t sum_of(std::int64_t sum, bool saturates) {
  if (saturates) sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

/// Register `number` of an operand; RZ is RZ in all.
const LaneValues& part_of(const Warp& warp, const Source& source, unsigned number) {
  return warp.read(false,
                   static_cast<std::uint16_t>(source.low == source.high ? source.low : source.low + number));
}

/// Calls f with the words of A and of B whose elements are multiplied for element `place` of a lane's part of the result, along the blocks
/// [first, last) of the depth.
template <class F>
void along_depth(const Warp& warp, const Operation& operation, unsigned row_blocks, unsigned first,
                 unsigned last, unsigned lane, unsigned place, F f) {
  const unsigned row = place / 2, column = lane % 4 * 2 + place % 2;
  for (unsigned block = first; block < last; ++block)
    for (unsigned quarter = 0; quarter < 4; ++quarter)
      f(part_of(warp, operation.a, block * row_blocks + row)[lane / 4 * 4 + quarter],
        part_of(warp, operation.b, block)[column * 4 + quarter]);
}

void product(Warp& warp, const Operation& operation, LaneSet) {
  const IntegerShape shape = shape_of(operation.bits);
  LaneValues out[4];
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned place = 0; place < shape.row_blocks * 2; ++place) {
      std::int64_t sum = static_cast<std::int32_t>(part_of(warp, operation.c, place)[i]);
      along_depth(warp, operation, shape.row_blocks, 0, shape.depth_blocks, i, place,
                  [&](std::uint32_t a, std::uint32_t b) {
                    for (unsigned number = 0; number < 32 / shape.bits; ++number)
                      sum += element(a, number, shape.bits, shape.a_has_sign) *
                             element(b, number, shape.bits, shape.b_has_sign);
                  });
      out[place][i] = sum_of(sum, shape.saturates);
    }
  for (unsigned place = 0; place < shape.row_blocks * 2; ++place)
    warp.row(static_cast<std::uint16_t>(operation.result + place)) = out[place];
}

enum class Real : std::uint8_t { Half, Brain, Tf32 };

template <Real kReal>
void add_products(TensorSum& sum, std::uint32_t a, std::uint32_t b) {
  // TF32: the lower bits of a single are not looked at.
  if constexpr (kReal == Real::Tf32)
    return sum.add(tensor_factor(single_of(a & 0xffffe000U), kLeastOfSingle),
                   tensor_factor(single_of(b & 0xffffe000U), kLeastOfSingle));
  const auto factor = [](std::uint32_t bits) {
    return kReal == Real::Half ? tensor_factor(half_value(bits & 0xffff), kLeastOfHalf)
                               : tensor_factor(brain_value(bits & 0xffff), kLeastOfSingle);
  };
  sum.add(factor(a), factor(b));
  sum.add(factor(a >> 16), factor(b >> 16));
}

/// Of 16 rows. operation.bits: registers of B (4 bits); operation.target: a TensorRounding. add(sum, word of A, word of B) adds their products.
template <bool kHalfSums, class Add>
void sum_products(Warp& warp, const Operation& operation, Add add) {
  const TensorRounding rounding = TensorRounding::of_packed(operation.target);
  LaneValues out[4] = {};
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned place = 0; place < 4; ++place) {
      const unsigned up = kHalfSums ? place % 2 * 16 : 0;
      const std::uint32_t before = part_of(warp, operation.c, kHalfSums ? place / 2 : place)[i] >> up;
      out[kHalfSums ? place / 2 : place][i] |=
          tensor_sum(kHalfSums ? before & 0xffff : before, kHalfSums, rounding, operation.bits & 15,
                     [&](unsigned first, unsigned last, TensorSum& sum) {
                       along_depth(warp, operation, 2, first, last, i, place,
                                   [&](std::uint32_t a, std::uint32_t b) { add(sum, a, b); });
                     })
          << up;
    }
  for (unsigned number = 0; number < (kHalfSums ? 2 : 4); ++number)
    warp.row(static_cast<std::uint16_t>(operation.result + number)) = out[number];
}

/// HMMA.
template <Real kReal, bool kHalfSums>
void real_product(Warp& warp, const Operation& operation, LaneSet) {
  sum_products<kHalfSums>(warp, operation, add_products<kReal>);
}

/// QMMA; operation.bits: A and B are E5M2 (bits 4 and 5).
template <bool kHalfSums>
void small_product(Warp& warp, const Operation& operation, LaneSet) {
  const auto factor = [](std::uint32_t bits, bool is_e5m2) {
    return is_e5m2 ? tensor_factor(small_value(bits, kE5m2), kLeastOfE5m2)
                   : tensor_factor(small_value(bits, kE4m3), kLeastOfE4m3);
  };
  sum_products<kHalfSums>(warp, operation, [&](TensorSum& sum, std::uint32_t a, std::uint32_t b) {
    for (unsigned bit = 0; bit < 32; bit += 8)
      sum.add(factor(a >> bit & 0xff, (operation.bits & 16) != 0),
              factor(b >> bit & 0xff, (operation.bits & 32) != 0));
  });
}

/// operation.bits of HMMA.884: the step (2 bits), whether A and B lie by columns, and whether D and C are singles.
constexpr std::uint32_t kStep = 3, kColumnsOfA = 4, kColumnsOfB = 8, kSinglesOut = 16, kSinglesIn = 32;

/// Four products of 8 x 4 and 4 x 8 elements (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type"), each of a quad of lanes and of
/// that 16 lanes further, which have the lower and the upper four rows or columns. A step makes the pair of registers of the result that it names.
class QuadProduct {
 public:
  QuadProduct(const Warp& warp, const Operation& operation) : warp_(warp), operation_(operation) {}

  /// Element `number` of the pair of a lane, in its bits.
  [[nodiscard]] std::uint32_t element(unsigned lane, unsigned number) const {
    const bool is_single = has(kSinglesOut);
    const unsigned upper = lane / 16 * 4, step = operation_.bits & kStep;
    const unsigned row = is_single ? (lane & 1) + step % 2 * 2 + upper : lane % 4 + upper;
    const unsigned column = is_single ? step / 2 * 4 + (lane & 2) + number : step * 4 + number;
    const std::uint32_t before = has(kSinglesIn) ? part_of(warp_, operation_.c, number)[lane]
                                                 : half_of(operation_.c, lane_of(lane, row), column % 4);
    return sum(before, lane, row, column);
  }

 private:
  [[nodiscard]] bool has(std::uint32_t bit) const { return (operation_.bits & bit) != 0; }
  /// The lane of this lane's two quads that has a row, or a column.
  static unsigned lane_of(unsigned lane, unsigned row) { return lane / 4 % 4 * 4 + row % 4 + row / 4 * 16; }
  /// One of the four halves of a pair of registers.
  [[nodiscard]] std::uint32_t half_of(const Source& source, unsigned lane, unsigned number) const {
    return part_of(warp_, source, number / 2)[lane] >> number % 2 * 16 & 0xffff;
  }
  /// Of A a row, of B a column, and the place in the depth.
  [[nodiscard]] TensorFactor factor(const Source& source, bool is_across, unsigned lane, unsigned line,
                                    unsigned along) const {
    const std::uint32_t bits = is_across ? half_of(source, lane_of(lane, line / 4 * 4 + along), line % 4)
                                         : half_of(source, lane_of(lane, line), along);
    return tensor_factor(half_value(bits), kLeastOfHalf);
  }
  [[nodiscard]] std::uint32_t sum(std::uint32_t before, unsigned lane, unsigned row, unsigned column) const {
    TensorSum sum(tensor_before(before, !has(kSinglesIn)));
    for (unsigned along = 0; along < 4; ++along)
      sum.add(factor(operation_.a, has(kColumnsOfA), lane, row, along),
              factor(operation_.b, !has(kColumnsOfB), lane, column, along));
    return tensor_result(sum, TensorRounding::of_packed(operation_.target), !has(kSinglesOut));
  }

  const Warp& warp_;
  const Operation& operation_;
};

void quad_product(Warp& warp, const Operation& operation, LaneSet) {
  const QuadProduct product(warp, operation);
  LaneValues out[2] = {};
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned number = 0; number < 2; ++number)
      out[number][i] = (operation.bits & kSinglesOut) != 0
                           ? product.element(i, number)
                           : product.element(i, number * 2) | product.element(i, number * 2 + 1) << 16;
  for (unsigned number = 0; number < 2; ++number)
    warp.row(static_cast<std::uint16_t>(operation.result + number)) = out[number];
}

/// BMMA: bits that both have, or that differ, are counted. operation.bits: rows / 8 (4 bits), registers of B (4), .AND.
void bit_product(Warp& warp, const Operation& operation, LaneSet) {
  const unsigned row_blocks = operation.bits & 15;
  LaneValues out[4];
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned place = 0; place < row_blocks * 2; ++place) {
      std::uint32_t sum = part_of(warp, operation.c, place)[i];
      along_depth(
          warp, operation, row_blocks, 0, operation.bits >> 4 & 15, i, place,
          [&](std::uint32_t a, std::uint32_t b) {
            sum += static_cast<std::uint32_t>(std::popcount((operation.bits & 256) != 0 ? a & b : a ^ b));
          });
      out[place][i] = sum;
    }
  for (unsigned place = 0; place < row_blocks * 2; ++place)
    warp.row(static_cast<std::uint16_t>(operation.result + place)) = out[place];
}

/// DMMA; operation.bits: rows / 8 (4 bits), pairs of B. Each product is added along the depth with one rounding.
void double_product(Warp& warp, const Operation& operation, LaneSet) {
  const unsigned row_blocks = operation.bits & 15, depth_blocks = operation.bits >> 4;
  const auto pair = [&](const Source& source, unsigned number, unsigned lane) {
    return std::bit_cast<double>(
        pair_of(part_of(warp, source, number * 2)[lane], part_of(warp, source, number * 2 + 1)[lane]));
  };
  LaneValues out[8];
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned place = 0; place < row_blocks * 2; ++place) {
      const unsigned row = place / 2, column = i % 4 * 2 + place % 2;
      double sum = pair(operation.c, place, i);
      for (unsigned block = 0; block < depth_blocks; ++block)
        for (unsigned quarter = 0; quarter < 4; ++quarter)
          sum = std::fma(pair(operation.a, block * row_blocks + row, i / 4 * 4 + quarter),
                         pair(operation.b, block, column * 4 + quarter), sum);
      const auto bits = std::bit_cast<std::uint64_t>(sum);
      out[place * 2][i] = static_cast<std::uint32_t>(bits);
      out[place * 2 + 1][i] = static_cast<std::uint32_t>(bits >> 32);
    }
  for (unsigned number = 0; number < row_blocks * 4; ++number)
    warp.row(static_cast<std::uint16_t>(operation.result + number)) = out[number];
}

/// operation.a, b, c: slots 1 to 3. False if one has a sign of its own, or the result goes nowhere.
bool has_matrices(Translation& t, std::uint8_t results) {
  Operation& operation = t.operation();
  t.result(0, results);
  Source* const sources[] = {&operation.a, &operation.b, &operation.c};
  for (std::size_t slot = 1; slot <= 3; ++slot) {
    *sources[slot - 1] = t.words(slot, 2);
    if (t.operand(slot).is_negated() || t.operand(slot).is_absolute()) return false;
  }
  return !operation.drops_result;
}

/// Of a product whose registers of B are in operation.bits.
std::uint32_t rounding_of(Translation& t, bool is_narrow) {
  const bool is_deep = (t.operation().bits & 15) > 1;
  return TensorRounding::of_warp(t.code().cubin().architecture(), is_narrow, is_deep).packed();
}

bool is_quad_product(Translation& t) {
  if (t.has(78) && !t.has(76)) return false;  // halves out of singles
  if (!t.has(76) && t.bits(79, 2) > 1) return false;
  if (!has_matrices(t, 2)) return false;
  t.operation().bits = t.bits(79, 2) | (t.has(73) ? kColumnsOfA : 0) | (t.has(74) ? kColumnsOfB : 0) |
                       (t.has(76) ? kSinglesOut : 0) | (t.has(78) ? kSinglesIn : 0);
  t.operation().target = TensorRounding::of_warp(t.code().cubin().architecture(), false, false).packed();
  return t.is(quad_product);
}

bool is_real_product(Translation& t) {
  if ((t.row().opcode & 0xfffU) == 0x236) return is_quad_product(t);
  if ((t.row().opcode & 0xfffU) != 0x23c || t.has(73)) return false;  // .SP
  static constexpr std::uint32_t kDepths[] = {8, 16, 4, 8};
  const std::uint32_t type = t.bits(82, 2), depth = kDepths[t.bits(78, 1) << 1 | t.bits(75, 1)];
  const bool has_half_sums = !t.has(76);
  if (type == 3 || (has_half_sums && type != 0)) return false;
  if (!has_matrices(t, has_half_sums ? 2 : 4)) return false;
  t.operation().bits = depth * (type == 2 ? 32 : 16) / 128;
  t.operation().target = rounding_of(t, false);
  if (has_half_sums) return t.is(real_product<Real::Half, true>);
  static constexpr Execute kProducts[] = {real_product<Real::Half, false>, real_product<Real::Brain, false>,
                                          real_product<Real::Tf32, false>};
  return t.is(kProducts[type]);
}

bool is_double_product(Translation& t) {
  static constexpr std::uint32_t kDepths[] = {4, 4, 8, 16};
  const std::uint32_t shape = t.row().since < 90 ? 0 : t.bits(76, 2), row_blocks = shape == 0 ? 1 : 2;
  if (t.bits(78, 2) != 0 || !has_matrices(t, static_cast<std::uint8_t>(row_blocks * 4))) return false;
  t.operation().bits = row_blocks | kDepths[shape] / 4 << 4;
  return t.is(double_product);
}

bool is_integer_product(Translation& t) {
  Operation& operation = t.operation();
  static constexpr std::uint32_t kDepths[] = {16, 16, 32, 32, 16, 32, 64, 64};
  const std::uint32_t shape = t.bits(85, 2) << 1 | t.bits(75, 1);
  if (t.has(72) || shape == 1 || shape == 3 || shape == 7) return false;        // .SP, or no shape
  if (t.has(73) || !t.has(74) || t.bits(83, 1) != t.bits(84, 1)) return false;  // A by rows, B by columns
  const std::uint32_t row_blocks = shape < 4 ? 1 : 2, bits = t.has(83) ? 4 : 8;
  if (!has_matrices(t, static_cast<std::uint8_t>(row_blocks * 2))) return false;
  operation.bits = row_blocks | kDepths[shape] * bits / 128 << 4 | t.bits(83, 1) << 8 | t.bits(76, 1) << 9 |
                   t.bits(78, 1) << 10 | t.bits(82, 1) << 11;
  return t.is(product);
}

bool is_small_product(Translation& t) {
  if (t.has(76) || t.bits(75, 2) > 1) return false;  // .SP
  const bool has_half_sums = !t.has(77);
  if (!has_matrices(t, has_half_sums ? 2 : 4)) return false;
  t.operation().bits = (t.has(75) ? 2U : 1U) | t.bits(78, 1) << 4 | t.bits(79, 1) << 5;
  t.operation().target = rounding_of(t, true);
  return t.is(has_half_sums ? small_product<true> : small_product<false>);
}

bool is_bit_product(Translation& t) {
  const std::uint32_t shape = t.bits(75, 2), row_blocks = shape == 0 ? 1 : 2;
  if (shape == 3 || t.has(73) || !t.has(74)) return false;  // A by rows, B by columns
  if (!has_matrices(t, static_cast<std::uint8_t>(row_blocks * 2))) return false;
  t.operation().bits = row_blocks | (shape == 2 ? 2U : 1U) << 4 | t.bits(78, 1) << 8;
  return t.is(bit_product);
}

}  // namespace

bool translate_tensor(Translation& t) {
  if (t.name() == "QMMA") return is_small_product(t);
  if (t.name() == "BMMA") return is_bit_product(t);
  if (t.name() == "HMMA") return is_real_product(t);
  if (t.name() == "DMMA") return is_double_product(t);
  return t.name() == "IMMA" && is_integer_product(t);
}

}  // namespace warpscope::machine
