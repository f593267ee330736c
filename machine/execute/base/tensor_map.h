#pragma once
// A tensor map (CUtensorMap): where copies of tensors find their elements, and how shared memory has them.
#include <array>
#include <cstdint>
#include <string>

namespace warpscope::machine {

/// A tiled one. NVIDIA calls its 128 bytes opaque; the fields are where the code of ptxas 13.0 for tensormap.replace writes them. The box has dimension 0
/// innermost in shared memory, without gaps.
struct TensorMap {
  static constexpr std::size_t kBytes = 128;
  static constexpr unsigned kMostDimensions = 5;
  /// As tensormap.replace numbers them (PTX ISA).
  enum class Type : std::uint8_t { U8, U16, U32, S32, U64, S64, F16, F32, F32Flushed, F64, BF16, TF32 };

  std::uint64_t address = 0;  ///< of the first element
  Type type = Type::F32;
  unsigned dimensions = 1;
  std::array<std::uint64_t, kMostDimensions> size{1, 1, 1, 1, 1};  ///< elements
  std::array<std::uint64_t, kMostDimensions - 1> stride{};         ///< bytes, along dimensions from 1 on
  std::array<std::uint32_t, kMostDimensions> box{1, 1, 1, 1, 1};   ///< elements that a copy spans
  std::array<std::uint32_t, kMostDimensions> step{1, 1, 1, 1,
                                                  1};  ///< one of so many is copied; not of dimension 0
  unsigned swizzle = 0;                                ///< 1, 2, 3: of 32, 64, 128 bytes
  unsigned interleave = 0;                             ///< 1, 2: of 16, 32 bytes
  bool is_filled_by_nan = false;                       ///< what is outside of the tensor; otherwise 0

  [[nodiscard]] std::array<std::uint8_t, kBytes> encode() const;
  /// Of kBytes bytes; any of them.
  static TensorMap decode(const std::uint8_t* bytes);
  /// Why no copy can use it: limits of cuTensorMapEncodeTiled, and what is not executed here; "": it can.
  [[nodiscard]] std::string wrong() const;

  [[nodiscard]] unsigned element_bytes() const;
  [[nodiscard]] bool is_real() const { return type >= Type::F16; }
  /// Elements of a dimension that a copy makes.
  [[nodiscard]] std::uint32_t count(unsigned dimension) const {
    return dimension == 0 ? box[0] : (box[dimension] + step[dimension] - 1) / step[dimension];
  }
  [[nodiscard]] std::uint64_t row_bytes() const { return std::uint64_t{box[0]} * element_bytes(); }
  [[nodiscard]] std::uint64_t box_bytes() const;
  /// Where a byte of the box is in shared memory, by its address without a swizzle: 16 bytes change places with others of the same span.
  [[nodiscard]] std::uint64_t swizzled(std::uint64_t address_in_shared) const {
    return address_in_shared ^ ((address_in_shared >> 7U & ((1U << swizzle) - 1U)) << 4U);
  }
};

}  // namespace warpscope::machine
