#pragma once
// Strong types of the field's quantities, for signatures between folders. Inner loops and packed tables use bare integers.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace warpscope {

/// An integer that does not mix with other integers. `Tag` names the quantity, `Rep` is its width.
template <class Tag, class Rep>
class Strong {
 public:
  using rep = Rep;
  constexpr Strong() = default;
  explicit constexpr Strong(Rep value) : value_(value) {}
  [[nodiscard]] constexpr Rep value() const { return value_; }
  constexpr auto operator<=>(const Strong&) const = default;
  constexpr Strong& operator++() {
    ++value_;
    return *this;
  }

 private:
  Rep value_ = 0;
};

using LaunchId = Strong<struct LaunchTag, std::uint32_t>;  ///< 0-based, in order of enqueue
using WorkGroupId =
    Strong<struct WorkGroupTag, std::uint32_t>;  ///< linear: x + nx * (y + ny * z), without offset
using WorkItemId = Strong<struct WorkItemTag, std::uint32_t>;  ///< linear local id: x + lx * (y + ly * z)
using LaneId = Strong<struct LaneTag, std::uint32_t>;          ///< 0 .. warp size - 1
using WarpId = Strong<struct WarpTag, std::uint32_t>;  ///< number in the work-group: local id / warp size
using CoreId = Strong<struct CoreTag, std::uint32_t>;
using SiteId = Strong<struct SiteTag, std::uint32_t>;    ///< static memory instruction or barrier, per kernel
using BlockId = Strong<struct BlockTag, std::uint32_t>;  ///< basic block, per kernel, in reverse post-order
using BufferId = Strong<struct BufferTag, std::uint32_t>;    ///< memory object of a capture; 0 = none
using ByteAddr = Strong<struct ByteAddrTag, std::uint64_t>;  ///< simulated byte address, after layout
using LineAddr = Strong<struct LineAddrTag, std::uint64_t>;  ///< byte address / line size
using LaneMask = std::uint64_t;  ///< bit l = lane l executes; warps of up to 64 lanes
/// Lanes 0 .. count - 1.
constexpr LaneMask low_lanes(std::uint32_t count) {
  return count >= 64 ? ~LaneMask{0} : (LaneMask{1} << count) - 1;
}
constexpr std::uint32_t kMaxWarpSize = 64;

/// A location inside a memory object, independent of any address layout: buffer id in the upper 24 bits,
/// byte offset in the lower 40. Differences between two locations of one buffer are byte distances.
class BufferAddr {
 public:
  static constexpr int kOffsetBits = 40;
  static constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kOffsetBits) - 1;
  constexpr BufferAddr() = default;
  explicit constexpr BufferAddr(std::uint64_t key) : key_(key) {}
  constexpr BufferAddr(BufferId buffer, std::uint64_t offset)
      : key_((std::uint64_t{buffer.value()} << kOffsetBits) | (offset & kOffsetMask)) {}
  [[nodiscard]] constexpr BufferId buffer() const {
    return BufferId(static_cast<std::uint32_t>(key_ >> kOffsetBits));
  }
  [[nodiscard]] constexpr std::uint64_t offset() const { return key_ & kOffsetMask; }
  [[nodiscard]] constexpr std::uint64_t key() const { return key_; }
  constexpr auto operator<=>(const BufferAddr&) const = default;

 private:
  std::uint64_t key_ = 0;
};

enum class AccessKind : std::uint8_t { Load, Store, Atomic, Barrier, Fence };
enum class AddressSpace : std::uint8_t { Private = 0, Global = 1, Constant = 2, Local = 3, Generic = 4 };

/// True for the sites that carry an address (not barriers and fences).
constexpr bool has_address(AccessKind kind) {
  return kind <= AccessKind::Atomic;
}

struct Dim3 {
  std::uint64_t x = 1, y = 1, z = 1;
  [[nodiscard]] constexpr std::uint64_t count() const { return x * y * z; }
  constexpr auto operator<=>(const Dim3&) const = default;
};

}  // namespace warpscope

template <class Tag, class Rep>
struct std::hash<warpscope::Strong<Tag, Rep>> {
  std::size_t operator()(const warpscope::Strong<Tag, Rep>& v) const noexcept {
    return std::hash<Rep>{}(v.value());
  }
};
