// Matrix products of a warp. Fragments: PTX ISA, "Matrix Fragments for mma". A lane has row lane / 4 of A and column lane / 4 of B, of which each
// register holds the elements lane % 4 of as many blocks as it has elements; registers go through halves of the rows first, then along the depth.
#include <cmath>

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

void product(Warp& warp, const Operation& operation, LaneSet) {
  const IntegerShape shape = shape_of(operation.bits);
  const auto register_of = [&](const Source& source, unsigned number) -> const LaneValues& {
    return warp.read(
        false, static_cast<std::uint16_t>(source.low == source.high ? source.low : source.low + number));
  };
  LaneValues out[4];
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned place = 0; place < shape.row_blocks * 2; ++place) {
      const unsigned row = place / 2, column = i % 4 * 2 + place % 2;
      std::int64_t sum = static_cast<std::int32_t>(register_of(operation.c, place)[i]);
      for (unsigned block = 0; block < shape.depth_blocks; ++block)
        for (unsigned quarter = 0; quarter < 4; ++quarter) {
          const std::uint32_t a =
              register_of(operation.a, block * shape.row_blocks + row)[i / 4 * 4 + quarter];
          const std::uint32_t b = register_of(operation.b, block)[column * 4 + quarter];
          for (unsigned number = 0; number < 32 / shape.bits; ++number)
            sum += element(a, number, shape.bits, shape.a_has_sign) *
                   element(b, number, shape.bits, shape.b_has_sign);
        }
      out[place][i] = sum_of(sum, shape.saturates);
    }
  for (unsigned place = 0; place < shape.row_blocks * 2; ++place)
    warp.row(static_cast<std::uint16_t>(operation.result + place)) = out[place];
}

bool is_integer_product(Translation& t) {
  Operation& operation = t.operation();
  static constexpr std::uint32_t kDepths[] = {16, 16, 32, 32, 16, 32, 64, 64};
  const std::uint32_t shape = t.bits(85, 2) << 1 | t.bits(75, 1);
  if (t.has(72) || shape == 1 || shape == 3 || shape == 7) return false;        // .SP, or no shape
  if (t.has(73) || !t.has(74) || t.bits(83, 1) != t.bits(84, 1)) return false;  // A by rows, B by columns
  const std::uint32_t row_blocks = shape < 4 ? 1 : 2, bits = t.has(83) ? 4 : 8;
  t.result(0, static_cast<std::uint8_t>(row_blocks * 2));
  if (operation.drops_result) return false;
  Source* const sources[] = {&operation.a, &operation.b, &operation.c};
  for (std::size_t slot = 1; slot <= 3; ++slot) *sources[slot - 1] = t.words(slot, 2);
  operation.bits = row_blocks | kDepths[shape] * bits / 128 << 4 | t.bits(83, 1) << 8 | t.bits(76, 1) << 9 |
                   t.bits(78, 1) << 10 | t.bits(82, 1) << 11;
  return t.is(product);
}

}  // namespace

bool translate_tensor(Translation& t) {
  return t.name() == "IMMA" && is_integer_product(t);
}

}  // namespace warpscope::machine
