#pragma once
// A tensor map (CUtensorMap): where copies of tensors find their elements, and how shared memory has them.
#include <array>
#include <cstdint>
#include <string>

namespace warpscope::machine {

/// A tiled one, or one for im2col copies. NVIDIA calls its 128 bytes opaque; the fields of tiled ones are where the code of ptxas 13.0 for tensormap.replace
/// writes them, those of im2col copies in bits that those leave. The box has dimension 0 innermost in shared memory, without gaps.
struct TensorMap {
  static constexpr std::size_t kBytes = 128;
  static constexpr unsigned kMostDimensions = 5;
  /// Dimensions of an image, between the channels (0) and the images: at most W, H, D.
  static constexpr unsigned kMostOfImage = kMostDimensions - 2;
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
  /// box[0] channels of `pixels` pixels are copied, the first dimension of the image first, from image to image.
  bool is_im2col = false;
  std::uint32_t pixels = 1;
  /// Where the first and the last pixels of an image are, of dimension 1 first: from its first one on, from its last one on.
  std::array<std::int32_t, kMostOfImage> lower{}, upper{};

  [[nodiscard]] std::array<std::uint8_t, kBytes> encode() const;
  /// Of kBytes bytes; any of them.
  static TensorMap decode(const std::uint8_t* bytes);
  /// Why no copy can use it: limits of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, and what is missing; "": it can.
  [[nodiscard]] std::string wrong() const;
  /// What a GPU could do and is not executed here; "": nothing.
  [[nodiscard]] std::string missing() const;

  [[nodiscard]] unsigned element_bytes() const;
  [[nodiscard]] bool is_real() const { return type >= Type::F16; }
  [[nodiscard]] unsigned image_dimensions() const { return dimensions - 2; }
  /// The last pixel of an image along its dimension `axis` (0 is dimension 1 of the tensor) that an im2col copy without offsets has.
  [[nodiscard]] std::int64_t last_pixel(unsigned axis) const {
    return static_cast<std::int64_t>(size[axis + 1]) - 1 + upper[axis];
  }
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
