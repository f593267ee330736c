#pragma once
// Which elements of a sparse matrix are stored: PTX ISA, "Matrix fragments for multiply-accumulate operation with sparse matrix A".
#include "machine/execute/base/lane_values.h"

namespace warpscope::machine {

/// A row has 16 bits for every 16 bytes that are stored; of reals the rows `row` and row + 8 are in one word, the pieces along the depth in lanes one behind
/// the other; of bytes both are the other way round.
struct SparseIndices {
  bool is_tf32 = false;  ///< one of two is stored, otherwise two of four
  bool has_bytes = false;
  unsigned stored = 0;    ///< of a row
  unsigned selector = 0;  ///< which lanes of four have the indices

  /// The place of a stored element of a row (of 16) along the depth.
  [[nodiscard]] unsigned place_of(const LaneValues& words, unsigned row, unsigned number) const {
    const unsigned width = is_tf32 ? 4 : 2, bit = number * width, bits = stored * width, upper = row / 8;
    const unsigned quad = row % 8 * 4;
    std::uint32_t field = 0;
    if (has_bytes) {
      const unsigned lane = bits == 32 ? 2 * selector + upper : bit / 32 * 2 + upper;
      field = words[quad + lane] >> bit % 32;
    } else {
      const unsigned lane = bits == 16 ? selector : 2 * (selector & 1U) + bit / 16;
      field = words[quad + lane] >> (bit % 16 + 16 * upper);
    }
    return is_tf32 ? number * 2 + (field >> 1 & 1U) : number / 2 * 4 + (field & 3U);
  }
};

}  // namespace warpscope::machine
