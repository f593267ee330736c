// Matrix products of a warp whose first matrix is sparse: mma.sp. Of four elements along the depth two are stored (of TF32 one of two, of numbers of four
// bits two pairs of four), in fragments like those of a product of half the depth (tensor.cpp). Which ones they were is in a register of some lanes:
// PTX ISA, "Matrix fragments for multiply-accumulate operation with sparse matrix A". That products which are not stored take no part in the sums is our reading
// of the model in tensor_sum.h, which has none of sparse products.
#include <algorithm>

#include "machine/execute/operations/half.h"
#include "machine/execute/operations/small_real.h"
#include "machine/execute/operations/sparse_indices.h"
#include "machine/execute/operations/tensor_sum.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// Small: reals of 8 bits.
enum class Unit : std::uint8_t { Half, Brain, Tf32, Byte, Pair, Small };

/// operation.bits. Units: what an index counts: elements, or pairs of elements of four bits.
struct SparseShape {
  Unit unit;
  unsigned depth;     ///< units along the depth
  unsigned selector;  ///< which lanes of four have the indices
  bool has_half_sums, a_has_sign, b_has_sign, saturates;

  explicit SparseShape(std::uint32_t bits)
      : unit(static_cast<Unit>(bits & 7)),
        depth(bits >> 4 & 0xff),
        selector(bits >> 12 & 3),
        has_half_sums((bits >> 14 & 1) != 0),
        a_has_sign((bits >> 15 & 1) != 0),
        b_has_sign((bits >> 16 & 1) != 0),
        saturates((bits >> 17 & 1) != 0) {}
  [[nodiscard]] unsigned units_of_word() const {
    return unit == Unit::Tf32 ? 1 : unit == Unit::Half || unit == Unit::Brain ? 2 : 4;
  }
  [[nodiscard]] bool is_integer() const { return unit == Unit::Byte || unit == Unit::Pair; }
  /// Bytes of reals have their indices as those of integers.
  [[nodiscard]] bool has_bytes() const { return is_integer() || unit == Unit::Small; }
  /// Of reals of 8 bits the sign bits say which format.
  [[nodiscard]] const SmallFormat& of_a() const { return a_has_sign ? kE5m2 : kE4m3; }
  [[nodiscard]] const SmallFormat& of_b() const { return b_has_sign ? kE5m2 : kE4m3; }
};

const LaneValues& part_of(const Warp& warp, const Source& source, unsigned number) {
  return warp.read(false,
                   static_cast<std::uint16_t>(source.low == source.high ? source.low : source.low + number));
}

/// `small`: the format of a real of 8 bits.
TensorFactor real_unit(Unit unit, const SmallFormat& small, std::uint32_t word, unsigned place) {
  if (unit == Unit::Tf32) return tensor_factor(single_of(word & 0xffffe000U), kLeastOfSingle);
  if (unit == Unit::Small)
    return tensor_factor(small_value(word >> 8 * place & 0xff, small),
                         &small == &kE5m2 ? kLeastOfE5m2 : kLeastOfE4m3);
  const std::uint32_t bits = word >> 16 * place & 0xffff;
  return unit == Unit::Half ? tensor_factor(half_value(bits), kLeastOfHalf)
                            : tensor_factor(brain_value(bits), kLeastOfSingle);
}

std::int64_t integer_part(std::uint32_t word, unsigned at, unsigned width, bool has_sign) {
  const std::uint32_t up = word << (32 - width - at);
  return has_sign ? static_cast<std::int32_t>(up) >> (32 - width) : std::int64_t{up >> (32 - width)};
}

/// The product of two units; of pairs the sum of both products.
std::int64_t integer_product(const SparseShape& shape, std::uint32_t a, unsigned a_place, std::uint32_t b,
                             unsigned b_place) {
  const unsigned width = shape.unit == Unit::Pair ? 4 : 8;
  std::int64_t sum = 0;
  for (unsigned bit = 0; bit < 8; bit += width)
    sum += integer_part(a, a_place * 8 + bit, width, shape.a_has_sign) *
           integer_part(b, b_place * 8 + bit, width, shape.b_has_sign);
  return sum;
}

/// Calls f with the word of A and the place in it, and those of B, for the stored units [first, last) of the row and the column that an element
/// `place` of a lane's part of the result has.
template <class F>
void along_stored(const Warp& warp, const Operation& operation, const SparseShape& shape, unsigned first,
                  unsigned last, unsigned lane, unsigned place, F f) {
  const unsigned row = lane / 4 + place / 2 * 8, column = lane % 4 * 2 + place % 2;
  const unsigned in_word = shape.units_of_word();
  const SparseIndices indices{shape.unit == Unit::Tf32, shape.has_bytes(), shape.depth / 2, shape.selector};
  for (unsigned stored = first; stored < last; ++stored) {
    const unsigned at = indices.place_of(part_of(warp, operation.extra, 0), row, stored);
    const unsigned block = stored / (4 * in_word);
    const std::uint32_t a =
        part_of(warp, operation.a, block * 2 + row / 8)[row % 8 * 4 + stored / in_word % 4];
    const std::uint32_t b = part_of(warp, operation.b, at / (4 * in_word))[column * 4 + at / in_word % 4];
    f(a, stored % in_word, b, at % in_word);
  }
}

std::uint32_t integer_sum(const Warp& warp, const Operation& operation, const SparseShape& shape,
                          unsigned lane, unsigned place) {
  std::int64_t sum = static_cast<std::int32_t>(part_of(warp, operation.c, place)[lane]);
  along_stored(warp, operation, shape, 0, shape.depth / 2, lane, place,
               [&](std::uint32_t a, unsigned a_place, std::uint32_t b, unsigned b_place) {
                 sum += integer_product(shape, a, a_place, b, b_place);
               });
  if (shape.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

/// In its bits. What is stored is added as the terms of a product of half the depth; operation.target: a TensorRounding.
std::uint32_t real_sum(const Warp& warp, const Operation& operation, const SparseShape& shape, unsigned lane,
                       unsigned place) {
  const std::uint32_t word = part_of(warp, operation.c, shape.has_half_sums ? place / 2 : place)[lane];
  const std::uint32_t before = shape.has_half_sums ? word >> place % 2 * 16 & 0xffff : word;
  return tensor_sum(before, shape.has_half_sums, TensorRounding::of_packed(operation.target), shape.depth / 2,
                    [&](unsigned first, unsigned last, TensorSum& sum) {
                      along_stored(warp, operation, shape, first, last, lane, place,
                                   [&](std::uint32_t a, unsigned a_place, std::uint32_t b, unsigned b_place) {
                                     sum.add(real_unit(shape.unit, shape.of_a(), a, a_place),
                                             real_unit(shape.unit, shape.of_b(), b, b_place));
                                   });
                    });
}

void sparse_product(Warp& warp, const Operation& operation, LaneSet) {
  const SparseShape shape(operation.bits);
  LaneValues out[4] = {};
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned place = 0; place < 4; ++place) {
      if (shape.is_integer())
        out[place][i] = integer_sum(warp, operation, shape, i, place);
      else if (shape.has_half_sums)
        out[place / 2][i] |= real_sum(warp, operation, shape, i, place) << place % 2 * 16;
      else
        out[place][i] = real_sum(warp, operation, shape, i, place);
    }
  for (unsigned number = 0; number < (shape.has_half_sums ? 2 : 4); ++number)
    warp.row(static_cast<std::uint16_t>(operation.result + number)) = out[number];
}

bool has_matrices(Translation& t, std::uint8_t results) {
  Operation& operation = t.operation();
  t.result(0, results);
  Source* const sources[] = {&operation.a, &operation.b, &operation.c, &operation.extra};
  for (std::size_t slot = 1; slot <= 4; ++slot) *sources[slot - 1] = t.words(slot, 2);
  return !operation.drops_result;
}

/// Deep: two registers of B or more, if it were not sparse.
void set_rounding(Translation& t, bool is_narrow, bool is_deep) {
  t.operation().target =
      TensorRounding::of_warp(t.code().cubin().architecture(), is_narrow, is_deep).packed();
}

bool is_real_product(Translation& t) {
  static constexpr unsigned kDepths[] = {8, 16, 0, 32};
  const std::uint32_t type = t.bits(82, 2), depth = kDepths[t.bits(78, 1) << 1 | t.bits(75, 1)];
  const bool has_half_sums = !t.has(76), is_tf32 = type == 2;
  if (type == 3 || (has_half_sums && type != 0) || depth == 0 || depth == (is_tf32 ? 32U : 8U)) return false;
  t.operation().bits = type | depth << 4 | t.bits(48, 2) << 12 | (has_half_sums ? 1U << 14 : 0);
  set_rounding(t, false, depth == (is_tf32 ? 16 : 32));
  return has_matrices(t, has_half_sums ? 2 : 4) && t.is(sparse_product);
}

bool is_integer_product(Translation& t) {
  static constexpr unsigned kDepths[] = {0, 0, 0, 0, 0, 32, 64, 128};
  const std::uint32_t depth = kDepths[t.bits(85, 2) << 1 | t.bits(75, 1)];
  const bool is_pair = t.has(83);
  const std::uint32_t units = is_pair ? depth / 2 : depth;
  if ((units != 32 && units != 64) || t.has(73) || !t.has(74) || t.bits(83, 1) != t.bits(84, 1)) return false;
  t.operation().bits = static_cast<std::uint32_t>(is_pair ? Unit::Pair : Unit::Byte) | units << 4 |
                       t.bits(48, 2) << 12 | t.bits(76, 1) << 15 | t.bits(78, 1) << 16 | t.bits(82, 1) << 17;
  return has_matrices(t, 4) && t.is(sparse_product);
}

bool is_small_product(Translation& t) {
  constexpr unsigned kDepth = 64;
  if (!t.has(76) || t.bits(75, 2) != 2) return false;
  const bool has_half_sums = !t.has(77);
  t.operation().bits = static_cast<std::uint32_t>(Unit::Small) | kDepth << 4 | t.bits(48, 2) << 12 |
                       (has_half_sums ? 1U << 14 : 0) | t.bits(78, 1) << 15 | t.bits(79, 1) << 16;
  set_rounding(t, true, true);
  return has_matrices(t, has_half_sums ? 2 : 4) && t.is(sparse_product);
}

}  // namespace

bool translate_sparse(Translation& t) {
  if (t.name() == "QMMA") return is_small_product(t);
  if (t.name() == "HMMA") return (t.row().opcode & 0xfffU) == 0x23c && t.has(73) && is_real_product(t);
  return t.name() == "IMMA" && t.has(72) && is_integer_product(t);
}

}  // namespace warpscope::machine
