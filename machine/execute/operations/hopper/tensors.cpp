// Copies of tensors by tensor maps (TMA), sm_90: as the PTX ISA says of tiled ones and of im2col. All are made at once.
#include <cstring>

#include "machine/execute/base/tensor_map.h"
#include "machine/execute/operations/changes.h"
#include "machine/execute/operations/hopper/shared_barrier.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

constexpr unsigned kPartBytes = 16;

std::uint32_t uniform_word(const Warp& warp, unsigned row) {
  return warp.read(false, static_cast<std::uint16_t>(row))[0];
}

/// Of operation.target: the copy is one of im2col; below it the number of dimensions.
constexpr std::uint32_t kIm2col = 16;

/// The map whose address is in operation.b. Throws ExecutionFault.
TensorMap map_of(Warp& warp, const Operation& operation) {
  const std::uint64_t address =
      pair_of(uniform_word(warp, operation.b.low), uniform_word(warp, operation.b.high));
  std::uint8_t bytes[TensorMap::kBytes];
  for (unsigned at = 0; at < TensorMap::kBytes; at += kPartBytes) {
    const std::uint8_t* const from = place_of<Space::Generic>(warp, 0, address + at, kPartBytes);
    warp.group().note_read(warp, address + at, kPartBytes);
    std::memcpy(bytes + at, from, kPartBytes);
  }
  TensorMap map = TensorMap::decode(bytes);
  if (const std::string wrong = map.wrong(); !wrong.empty())
    throw ExecutionFault("copies by a tensor map with " + wrong);
  if (map.is_im2col != ((operation.target & kIm2col) != 0))
    throw ExecutionFault(map.is_im2col ? "copies a tile by a tensor map for im2col"
                                       : "copies im2col by a tensor map for tiles");
  if (map.dimensions != (operation.target & (kIm2col - 1)))
    throw ExecutionFault("copies by a tensor map of another number of dimensions");
  return map;
}

/// 16 bytes of a box: where shared memory has them, and those of them, from `begin` to `end`, that the tensor has, from `global` on.
struct BoxPart {
  std::uint64_t shared = 0, global = 0;
  unsigned begin = 0, end = 0;
};

/// A row of the box, along dimension 0, whose first byte is at `shared`.
template <class F>
void for_each_of_row(const TensorMap& map, std::int64_t first, bool is_inside, std::uint64_t row,
                     std::uint64_t shared, F f) {
  const auto bytes = static_cast<std::int64_t>(map.element_bytes());
  const std::int64_t begin = -first * bytes, end = (static_cast<std::int64_t>(map.size[0]) - first) * bytes;
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(map.row_bytes()); at += kPartBytes) {
    BoxPart part;
    part.shared = map.swizzled(shared + static_cast<std::uint64_t>(at));
    const std::int64_t low = std::clamp<std::int64_t>(begin - at, 0, kPartBytes),
                       high = std::clamp<std::int64_t>(end - at, 0, kPartBytes);
    if (is_inside && low < high) {
      part.begin = static_cast<unsigned>(low);
      part.end = static_cast<unsigned>(high);
      part.global = row + static_cast<std::uint64_t>(first * bytes + at + low);
    }
    f(part);
  }
}

/// Indices of an element.
using Place = std::array<std::int64_t, TensorMap::kMostDimensions>;

/// The part of the tensor's dimension 0 from `place` on that goes to `shared`.
template <class F>
void for_each_at(const TensorMap& map, const Place& place, std::uint64_t shared, F f) {
  bool is_inside = true;
  std::uint64_t row = map.address;
  for (unsigned d = 1; d < map.dimensions; ++d) {
    is_inside = is_inside && place[d] >= 0 && place[d] < static_cast<std::int64_t>(map.size[d]);
    row += static_cast<std::uint64_t>(place[d]) * map.stride[d - 1];
  }
  for_each_of_row(map, place[0], is_inside, row, shared, f);
}

template <class F>
void for_each_of_tile(const TensorMap& map, const Place& first, std::uint64_t shared, F f) {
  std::uint32_t at[TensorMap::kMostDimensions] = {};
  for (;;) {
    Place place = first;
    for (unsigned d = 1; d < map.dimensions; ++d) place[d] += std::int64_t{at[d]} * map.step[d];
    for_each_at(map, place, shared, f);
    shared += map.row_bytes();
    unsigned d = 1;
    while (d < map.dimensions && ++at[d] == map.count(d)) at[d++] = 0;
    if (d >= map.dimensions) return;
  }
}

/// `offsets`: added to the place of each pixel in its image; they do not matter to which pixels there are.
template <class F>
void for_each_of_pixels(const TensorMap& map, const Place& first, const Place& offsets, std::uint64_t shared,
                        F f) {
  Place pixel = first;
  const unsigned axes = map.image_dimensions();
  for (std::uint32_t number = 0; number < map.pixels; ++number, shared += map.row_bytes()) {
    Place place = pixel;
    for (unsigned axis = 0; axis < axes; ++axis) place[axis + 1] += offsets[axis];
    for_each_at(map, place, shared, f);
    unsigned axis = 0;
    for (; axis < axes; ++axis) {
      pixel[axis + 1] += map.step[axis + 1];
      if (pixel[axis + 1] <= map.last_pixel(axis)) break;
      pixel[axis + 1] = map.lower[axis];
    }
    if (axis == axes) ++pixel[axes + 1];
  }
}

/// All parts of the copy whose first element has the coordinates from row `coordinates` on. `offsets`: of im2col, as the instruction has them.
template <class F>
void for_each_part(const Warp& warp, const TensorMap& map, unsigned coordinates, std::uint32_t offsets,
                   std::uint64_t shared, F f) {
  Place first{};
  for (unsigned d = 0; d < map.dimensions; ++d)
    first[d] = static_cast<std::int32_t>(uniform_word(warp, coordinates + d));
  if (!map.is_im2col) return for_each_of_tile(map, first, shared, f);
  // 16 bits of one dimension, 8 each of two, 5 each of three.
  const unsigned bits = 16 / map.image_dimensions();
  Place moved{};
  for (unsigned axis = 0; axis < map.image_dimensions(); ++axis)
    moved[axis] = offsets >> (bits * axis) & ((1U << bits) - 1);
  for_each_of_pixels(map, first, moved, shared, f);
}

/// What elements outside of the tensor become: 0, or a NaN of the type.
void fill_part(const TensorMap& map, std::uint8_t* part) {
  std::memset(part, 0, kPartBytes);
  if (!map.is_filled_by_nan || !map.is_real()) return;
  std::memset(part, 0xff, kPartBytes);
  for (unsigned at = map.element_bytes() - 1; at < kPartBytes; at += map.element_bytes()) part[at] = 0x7f;
}

void flush_part(const TensorMap& map, std::uint8_t* part) {
  if (map.type != TensorMap::Type::F32Flushed) return;
  for (unsigned at = 0; at < kPartBytes; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, part + at, 4);
    if ((word & 0x7f800000U) == 0) word &= kSign;
    std::memcpy(part + at, &word, 4);
  }
}

/// The elements of global memory, one by one.
template <class F>
void for_each_element(Warp& warp, const TensorMap& map, const BoxPart& part, F f) {
  for (unsigned at = part.begin; at < part.end; at += map.element_bytes())
    f(place_of<Space::Global>(warp, 0, part.global + at - part.begin, map.element_bytes()), at);
}

/// The same in as large pieces as can be: f(where, place in the part, bytes).
template <class F>
void for_each_piece(Warp& warp, const TensorMap& map, const BoxPart& part, F f) {
  if (part.end - part.begin == kPartBytes && part.global % kPartBytes == 0)
    return f(place_of<Space::Global>(warp, 0, part.global, kPartBytes), 0U, kPartBytes);
  for_each_element(warp, map, part,
                   [&](std::uint8_t* where, unsigned at) { f(where, at, map.element_bytes()); });
}

constexpr std::uint32_t kMulticast = 1;
/// Of the third operand: from this bit on who gets it; below it the offsets of im2col.
constexpr unsigned kMembersShift = 16;

/// UTMALDG. a: place in shared memory, barrier, coordinates, one register each; b: the map; c: with .MULTICAST who gets it, with .IM2COL the offsets.
void load_tensor(Warp& warp, const Operation& operation, LaneSet) {
  const TensorMap map = map_of(warp, operation);
  const std::uint32_t place = uniform_word(warp, operation.a.low),
                      barrier = uniform_word(warp, operation.a.low + 1U);
  const bool is_multicast = (operation.bits & kMulticast) != 0;
  const std::uint32_t third = is_multicast || map.is_im2col ? uniform_word(warp, operation.c.low) : 0;
  std::uint32_t members = is_multicast ? third >> kMembersShift : 1;
  warp.changed_memory();
  for (std::uint32_t rank = 0; members != 0; ++rank, members >>= 1U) {
    if ((members & 1U) == 0) continue;
    const auto in_group = [&](std::uint64_t address) {
      return is_multicast ? (address & ((1U << kRankShift) - 1)) | std::uint64_t{rank} << kRankShift
                          : address;
    };
    for_each_part(warp, map, operation.a.low + 2U, third, place, [&](const BoxPart& part) {
      std::uint8_t bytes[kPartBytes];
      fill_part(map, bytes);
      if (part.begin < part.end) warp.group().note_read(warp, part.global, part.end - part.begin);
      for_each_piece(warp, map, part, [&](const std::uint8_t* from, unsigned at, unsigned count) {
        std::memcpy(bytes + at, from, count);
      });
      flush_part(map, bytes);
      std::memcpy(place_of<Space::Cluster>(warp, 0, in_group(part.shared), kPartBytes), bytes, kPartBytes);
    });
    complete(warp, 0, in_group(barrier), map.box_bytes());
  }
}

/// UTMASTG. a: place in shared memory, coordinates; b: the map.
void store_tensor(Warp& warp, const Operation& operation, LaneSet) {
  const TensorMap map = map_of(warp, operation);
  warp.changed_memory();
  for_each_part(warp, map, operation.a.low + 1U, 0, uniform_word(warp, operation.a.low),
                [&](const BoxPart& part) {
                  const std::uint8_t* from = place_of<Space::Shared>(warp, 0, part.shared, kPartBytes);
                  if (part.begin < part.end)
                    warp.group().note_write(part.global, part.end - part.begin, false);
                  for_each_piece(warp, map, part, [&](std::uint8_t* to, unsigned at, unsigned count) {
                    std::memcpy(to, from + at, count);
                  });
                });
}

constexpr std::uint32_t kNoType = 99;

/// By TensorMap::Type: what changes.h calls it.
constexpr std::uint32_t kTypes[] = {kNoType, kNoType,  kU32, kS32, kU64,    kS64,
                                    kHalves, kF32Kept, kF32, kF64, kBrains, kNoType};

/// UTMAREDG: operands as of UTMASTG. operation.bits: the change.
void reduce_tensor(Warp& warp, const Operation& operation, LaneSet) {
  const TensorMap map = map_of(warp, operation);
  const std::uint32_t type = kTypes[static_cast<std::size_t>(map.type)];
  if (type == kNoType) throw ExecutionFault("reduces by a tensor map of elements that cannot be");
  warp.changed_memory();
  const unsigned bytes = map.element_bytes();
  for_each_part(warp, map, operation.a.low + 1U, 0, uniform_word(warp, operation.a.low),
                [&](const BoxPart& part) {
                  const std::uint8_t* from = place_of<Space::Shared>(warp, 0, part.shared, kPartBytes);
                  if (part.begin < part.end)
                    warp.group().note_write(part.global, part.end - part.begin, true);
                  for_each_element(warp, map, part, [&](std::uint8_t* to, unsigned at) {
                    std::uint64_t old = 0, value = 0;
                    std::memcpy(&old, to, bytes);
                    std::memcpy(&value, from + at, bytes);
                    const std::uint64_t result = result_of(operation.bits, type, old, value);
                    std::memcpy(to, &result, bytes);
                  });
                });
}

/// UTMAPF, UTMACCTL: caches do not matter here.
void do_nothing(Warp&, const Operation&, LaneSet) {}

}  // namespace

bool translate_tensor_map(Translation& t) {
  const std::string_view name = t.name();
  if (name == "UTMACCTL" || name == "UTMAPF") return t.is(do_nothing);
  const bool loads = name == "UTMALDG", reduces = name == "UTMAREDG";
  if (!loads && !reduces && name != "UTMASTG") return false;
  Operation& operation = t.operation();
  operation.a = t.integer(0);
  operation.b = t.wide_integer(1, false);
  operation.results = 0;
  const bool is_im2col = t.has(82);
  operation.target = (t.bits(79, 3) + 1) | (is_im2col ? kIm2col : 0);
  if (reduces) operation.bits = t.bits(87, 3);
  if (loads && t.has(75)) operation.bits = kMulticast;
  if (loads && (t.has(75) || is_im2col)) operation.c = t.integer(2);
  return t.is(loads ? load_tensor : reduces ? reduce_tensor : store_tensor);
}

}  // namespace warpscope::machine
