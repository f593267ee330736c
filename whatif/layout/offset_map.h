#pragma once
// Where the bytes of a memory object go when its layout changes.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpscope::whatif {

/// All offsets and sizes are in bytes. A map is pure: equal offsets, equal answers.
class OffsetMap {
 public:
  virtual ~OffsetMap() = default;
  /// New offset of the byte at `offset`; absent if the new layout has no place for it.
  [[nodiscard]] virtual std::optional<std::uint64_t> moved(std::uint64_t offset) const = 0;
  /// How many bytes from `offset` on stay next to each other, at least 1. An access of more is several then.
  [[nodiscard]] virtual std::uint64_t together(std::uint64_t offset) const = 0;
  /// A power of two: what starts at `offset` and is aligned to it, or to less, stays so aligned.
  [[nodiscard]] virtual std::uint64_t alignment_kept(std::uint64_t offset) const = 0;
  [[nodiscard]] virtual std::uint64_t new_size() const = 0;
  /// Why moved() has no place for `offset`: "column 33 of row 2 is beyond the new row of 33 elements".
  [[nodiscard]] virtual std::string why_not(std::uint64_t offset) const = 0;
};

using OffsetMapPtr = std::shared_ptr<const OffsetMap>;

/// Rows of `old_pitch` bytes become rows of `new_pitch` bytes; a byte keeps its row and its column.
OffsetMapPtr pitch_map(std::uint64_t size, std::uint64_t old_pitch, std::uint64_t new_pitch);
/// Every byte moves by `distance`. The object grows by it; towards 0 its size stays.
OffsetMapPtr shift_map(std::uint64_t size, std::int64_t distance);
/// In rows of `row` bytes (a power of two), piece number c of `unit` bytes (a power of two, at most `row`)
/// of row r goes to c XOR (r modulo the pieces of a row).
OffsetMapPtr swizzle_map(std::uint64_t size, std::uint64_t row, std::uint64_t unit);
/// Structures of `structure` bytes become one array per field, in the order of the fields, without gaps.
/// `fields`: their bytes, at most `structure` in sum; what is behind the last field has no place.
OffsetMapPtr split_map(std::uint64_t size, std::uint64_t structure, const std::vector<std::uint64_t>& fields);
/// Matrices of `rows` × `columns` elements of `element` bytes, one after the other, are stored by columns.
OffsetMapPtr transpose_map(std::uint64_t size, std::uint64_t rows, std::uint64_t columns,
                           std::uint64_t element);
/// `first`, then `second`.
OffsetMapPtr both(OffsetMapPtr first, OffsetMapPtr second);

}  // namespace warpscope::whatif
