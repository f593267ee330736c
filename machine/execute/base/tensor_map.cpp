#include "machine/execute/base/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpscope::machine {
namespace {

/// Bytes of the fields.
constexpr std::size_t kAddress = 0x00, kForm = 0x08, kStrides = 0x0c, kStrideTops = 0x1c, kSizes = 0x20,
                      kSteps = 0x34, kBoxes = 0x37, kCorners = 0x38, kPixels = 0x3c, kMode = 0x44;
/// The word at kMode of a map for im2col; no code of ptxas writes there, and kernels may make maps of memory with any content.
constexpr std::uint32_t kIm2col = 0x6c6f6332;
/// Bits of the word at kForm.
constexpr unsigned kRankBit = 4, kTypeBit = 7, kInterleaveBit = 11, kSwizzleBit = 13, kFillBit = 15,
                   kTensorFloatBit = 16;
/// Strides are in units of 16 bytes, of 36 bits.
constexpr unsigned kStrideShift = 4;

std::uint32_t word_at(const std::uint8_t* bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes + at, 4);
  return word;
}

/// Bits that a corner has for each dimension of an image, by how many there are: both corners fit a word.
constexpr unsigned kCornerBits[] = {0, 16, 8, 5};
constexpr unsigned kUpperBit = 16;

std::uint32_t corners_of(const TensorMap& map) {
  const unsigned axes = map.image_dimensions(), bits = kCornerBits[axes];
  std::uint32_t word = 0;
  const auto field = [&](std::int32_t corner) {
    return static_cast<std::uint32_t>(corner) & ((1U << bits) - 1);
  };
  for (unsigned axis = 0; axis < axes; ++axis) {
    word |= field(map.lower[axis]) << (bits * axis);
    word |= field(map.upper[axis]) << (kUpperBit + bits * axis);
  }
  return word;
}

/// Of three to five dimensions.
void read_image(TensorMap& map, const std::uint8_t* bytes) {
  const unsigned axes = map.image_dimensions(), bits = kCornerBits[axes];
  const std::uint32_t word = word_at(bytes, kCorners);
  const auto corner = [&](unsigned from) {
    return static_cast<std::int32_t>(word << (32 - bits - from)) >> (32 - bits);
  };
  for (unsigned axis = 0; axis < axes; ++axis) {
    map.lower[axis] = corner(bits * axis);
    map.upper[axis] = corner(kUpperBit + bits * axis);
  }
  for (unsigned d = 1; d < map.dimensions; ++d) map.box[d] = 1;
  map.pixels = word_at(bytes, kPixels) + 1;
}

bool is_outside(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value < least || value > most;
}

/// Of an im2col copy: "CUDA Driver API", cuTensorMapEncodeIm2col.
std::string wrong_image(const TensorMap& map) {
  const unsigned axes = map.image_dimensions();
  if (is_outside(map.pixels, 1, 1024)) return fmt::format("{} pixels, expected 1 to 1024", map.pixels);
  const std::int64_t half = std::int64_t{1} << (kCornerBits[axes] - 1);
  for (unsigned axis = 0; axis < axes; ++axis) {
    for (const std::int32_t corner : {map.lower[axis], map.upper[axis]})
      if (is_outside(corner, -half, half - 1))
        return fmt::format("corner {} of dimension {}, expected {} to {}", corner, axis + 1, -half, half - 1);
    if (map.last_pixel(axis) < map.lower[axis])
      return fmt::format("corners {} and {} without a pixel along dimension {}", map.lower[axis],
                         map.upper[axis], axis + 1);
  }
  return "";
}

}  // namespace

std::array<std::uint8_t, TensorMap::kBytes> TensorMap::encode() const {
  std::array<std::uint8_t, kBytes> bytes{};
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t count) {
    std::memcpy(bytes.data() + at, &value, count);
  };
  const bool is_tensor_float = type == Type::TF32;
  const auto number = static_cast<std::uint32_t>(is_tensor_float ? Type::F32 : type);
  put(kAddress, address, 8);
  put(kForm,
      (dimensions - 1) << kRankBit | number << kTypeBit | interleave << kInterleaveBit |
          swizzle << kSwizzleBit | (is_filled_by_nan ? 1U : 0U) << kFillBit |
          (is_tensor_float ? 1U : 0U) << kTensorFloatBit,
      4);
  std::uint32_t tops = 0, steps = 0;
  for (unsigned d = 0; d < kMostDimensions; ++d) {
    put(kSizes + d * 4, size[d] - 1, 4);
    put(kBoxes + d, box[d] - 1, 1);
    steps |= (step[d] - 1) << (3 * d);
    if (d + 1 == kMostDimensions) break;
    put(kStrides + d * 4, stride[d] >> kStrideShift, 4);
    tops |= static_cast<std::uint32_t>(stride[d] >> (kStrideShift + 32) & 15) << (4 * d);
  }
  put(kStrideTops, tops, 4);
  put(kSteps, steps, 3);
  if (is_im2col && dimensions > 2) {
    put(kCorners, corners_of(*this), 4);
    put(kPixels, pixels - 1, 4);
    put(kMode, kIm2col, 4);
  }
  return bytes;
}

TensorMap TensorMap::decode(const std::uint8_t* bytes) {
  TensorMap map;
  const std::uint32_t form = word_at(bytes, kForm), tops = word_at(bytes, kStrideTops),
                      steps = word_at(bytes, kSteps);
  std::memcpy(&map.address, bytes + kAddress, 8);
  map.dimensions = (form >> kRankBit & 7) + 1;
  map.type = static_cast<Type>(form >> kTypeBit & 15);
  // Code that makes a map of another type leaves the bit as it was.
  const bool is_single = map.type == Type::F32 || map.type == Type::F32Flushed;
  if (is_single && (form >> kTensorFloatBit & 1) != 0) map.type = Type::TF32;
  map.interleave = form >> kInterleaveBit & 3;
  map.swizzle = form >> kSwizzleBit & 3;
  map.is_filled_by_nan = (form >> kFillBit & 1) != 0;
  for (unsigned d = 0; d < kMostDimensions; ++d) {
    const bool is_there = d < map.dimensions;
    map.size[d] = is_there ? std::uint64_t{word_at(bytes, kSizes + d * 4)} + 1 : 1;
    map.box[d] = is_there ? bytes[kBoxes + d] + 1U : 1;
    map.step[d] = is_there ? (steps >> (3 * d) & 7) + 1 : 1;
    if (d + 1 < map.dimensions && d + 1 < kMostDimensions)
      map.stride[d] = (word_at(bytes, kStrides + d * 4) | std::uint64_t{tops >> (4 * d) & 15} << 32)
                      << kStrideShift;
  }
  map.is_im2col = word_at(bytes, kMode) == kIm2col;
  if (map.is_im2col && map.dimensions > 2 && map.dimensions <= kMostDimensions) read_image(map, bytes);
  return map;
}

unsigned TensorMap::element_bytes() const {
  static constexpr std::uint8_t kSizesOfTypes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4};
  return kSizesOfTypes[std::min<std::size_t>(static_cast<std::size_t>(type), 11)];
}

std::uint64_t TensorMap::box_bytes() const {
  if (is_im2col) return row_bytes() * pixels;
  std::uint64_t bytes = element_bytes();
  for (unsigned d = 0; d < dimensions; ++d) bytes *= count(d);
  return bytes;
}

std::string TensorMap::missing() const {
  if (type > Type::BF16) return "elements of type tf32, which are not executed";
  if (interleave != 0) return "interleaved, which is not executed";
  if (const std::uint64_t span = 16U << swizzle; swizzle != 0 && row_bytes() < span)
    return fmt::format(
        "{} bytes of a box's dimension 0, expected {} as of its swizzle; fewer are not executed", row_bytes(),
        span);
  if (is_im2col && row_bytes() % 16 != 0)
    return fmt::format("{} bytes of a pixel, expected a multiple of 16; others are not executed",
                       row_bytes());
  if (is_im2col && step[std::min(dimensions, kMostDimensions) - 1] != 1)
    return "a step from image to image, which is not executed";
  return "";
}

std::string TensorMap::wrong() const {
  if (is_outside(dimensions, is_im2col ? 3 : 1, kMostDimensions))
    return fmt::format("{} dimensions, expected {} to 5", dimensions, is_im2col ? 3 : 1);
  if (address % 16 != 0) return fmt::format("address 0x{:x}, expected a multiple of 16", address);
  for (unsigned d = 0; d < dimensions; ++d) {
    if (is_outside(static_cast<std::int64_t>(size[d]), 1, std::int64_t{1} << 32))
      return fmt::format("size {} of dimension {}, expected 1 to 2^32", size[d], d);
    if (is_outside(box[d], 1, 256))
      return fmt::format("box {} of dimension {}, expected 1 to 256", box[d], d);
    if (is_outside(step[d], 1, 8)) return fmt::format("step {} of dimension {}, expected 1 to 8", step[d], d);
    if (d > 0 && (stride[d - 1] % 16 != 0 || stride[d - 1] >= std::uint64_t{1} << 40))
      return fmt::format("{} bytes along dimension {}, expected a multiple of 16 below 2^40", stride[d - 1],
                         d);
  }
  if (const std::uint64_t span = 16U << swizzle; swizzle != 0 && row_bytes() > span)
    return fmt::format("{} bytes of a box's dimension 0, expected {} as of its swizzle", row_bytes(), span);
  if (is_im2col)
    if (std::string of_image = wrong_image(*this); !of_image.empty()) return of_image;
  if (!is_im2col && row_bytes() % 16 != 0)
    return fmt::format("{} bytes of a box's dimension 0, expected a multiple of 16", row_bytes());
  return missing();
}

}  // namespace warpscope::machine
