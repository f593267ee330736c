#include "machine/execute/base/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpscope::machine {
namespace {

/// Bytes of the fields.
constexpr std::size_t kAddress = 0x00, kForm = 0x08, kStrides = 0x0c, kStrideTops = 0x1c, kSizes = 0x20,
                      kSteps = 0x34, kBoxes = 0x37;
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
  return map;
}

unsigned TensorMap::element_bytes() const {
  static constexpr std::uint8_t kSizesOfTypes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4};
  return kSizesOfTypes[std::min<std::size_t>(static_cast<std::size_t>(type), 11)];
}

std::uint64_t TensorMap::box_bytes() const {
  std::uint64_t bytes = element_bytes();
  for (unsigned d = 0; d < dimensions; ++d) bytes *= count(d);
  return bytes;
}

std::string TensorMap::wrong() const {
  const auto outside = [](std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    return value < least || value > most;
  };
  if (outside(dimensions, 1, kMostDimensions)) return fmt::format("{} dimensions, at most 5", dimensions);
  if (type > Type::BF16) return "elements of type tf32, which are not executed";
  if (interleave != 0) return "interleaved, which is not executed";
  if (address % 16 != 0) return fmt::format("address 0x{:x}, expected a multiple of 16", address);
  for (unsigned d = 0; d < dimensions; ++d) {
    if (outside(size[d], 1, std::uint64_t{1} << 32))
      return fmt::format("size {} of dimension {}, expected 1 to 2^32", size[d], d);
    if (outside(box[d], 1, 256)) return fmt::format("box {} of dimension {}, expected 1 to 256", box[d], d);
    if (outside(step[d], 1, 8)) return fmt::format("step {} of dimension {}, expected 1 to 8", step[d], d);
    if (d > 0 && (stride[d - 1] % 16 != 0 || stride[d - 1] >= std::uint64_t{1} << 40))
      return fmt::format("{} bytes along dimension {}, expected a multiple of 16 below 2^40", stride[d - 1],
                         d);
  }
  if (row_bytes() % 16 != 0)
    return fmt::format("{} bytes of a box's dimension 0, expected a multiple of 16", row_bytes());
  if (const std::uint64_t span = 16U << swizzle; swizzle != 0 && row_bytes() != span)
    return fmt::format("{} bytes of a box's dimension 0, expected {} as of its swizzle{}", row_bytes(), span,
                       row_bytes() < span ? "; fewer are not executed" : "");
  return "";
}

}  // namespace warpscope::machine
