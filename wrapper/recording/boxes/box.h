#pragma once
// Boxes of work-items, and what their accesses reach (passes/record/Affine.h).
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

/// As ==, without a call.
template <class Number>
bool are_equal(const std::array<Number, 3>& a, const std::array<Number, 3>& b) {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) == 0;
}

/// Work-items [origin, origin + reach] in every dimension.
struct Box {
  std::array<std::uint32_t, 3> origin{};
  std::array<std::uint32_t, 3> reach{};
  [[nodiscard]] bool is_single() const { return (reach[0] | reach[1] | reach[2]) == 0; }
  bool operator==(const Box& other) const {
    return are_equal(origin, other.origin) && are_equal(reach, other.reach);
  }
};

/// 16 bits per dimension from the lowest bit on, as WarpscopeAbiV2::next_box has them.
inline std::uint64_t packed(const std::array<std::uint32_t, 3>& position) {
  return position[0] | std::uint64_t{position[1]} << 16 | std::uint64_t{position[2]} << 32;
}

/// Calls `visit(number of the work-item, distance from the box's origin)` for all work-items of a box. `local`: the work-group's size.
template <class Visit>
void for_items(const Box& box, Dim3 local, const Visit& visit) {
  for (std::uint32_t z = 0; z <= box.reach[2]; ++z)
    for (std::uint32_t y = 0; y <= box.reach[1]; ++y)
      for (std::uint32_t x = 0; x <= box.reach[0]; ++x) {
        const std::uint64_t row = box.origin[1] + y + local.y * (box.origin[2] + z);
        visit(static_cast<std::uint32_t>(box.origin[0] + x + local.x * row),
              std::array<std::int64_t, 3>{x, y, z});
      }
}

/// Bytes from a work-item's address to its neighbour's, per dimension.
using BoxStrides = std::array<std::int64_t, 3>;

/// What all accesses of a site in a box reach, in bytes from the first one of the first work-item.
struct BoxExtent {
  std::int64_t lowest = 0, highest = 0;
  std::uint64_t odd_bits = 0;  ///< bits that some address may have and the first one need not
  bool fits = true;            ///< whether it fits in 64 bits

  void add(std::int64_t step, std::uint64_t times) {
    std::int64_t way = 0;
    fits &= !__builtin_mul_overflow(step, times, &way);
    std::int64_t& end = way < 0 ? lowest : highest;
    fits &= !__builtin_add_overflow(end, way, &end);
  }
};

/// A site of a work-group: where its first work-item accesses it first, here and in the capture, and what all its accesses
/// reach from there.
struct LocatedColumn {
  std::uint32_t site = 0;
  std::uint64_t address = 0, location = 0;
  BoxExtent reach;
};

/// Whether an access at `at` is to the byte at `address`, or to a place that no process can have if that is 0.
inline bool is_access_to(std::uint64_t address, std::uint64_t at, std::uint32_t width) {
  return (address >= at && address - at < width) || (address == 0 && at >> 47 != 0);
}

/// An access that was made or predicted.
struct RecordedAccess {
  std::uint32_t site = 0, item = 0;
  std::uint64_t address = 0;
};

}  // namespace warpscope
