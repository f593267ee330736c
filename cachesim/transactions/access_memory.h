#pragma once
// The addresses of the lanes of an access: buffers have the addresses of the layout, private objects a stretch per
// warp behind them.
#include <cstdint>
#include <optional>
#include <vector>

#include "cachesim/access/private_memory.h"
#include "traces/program/layout.h"
#include "traces/stream/stream.h"
#include "traces/stream/warp_access.h"

namespace warpscope {

class AccessMemory {
 public:
  AccessMemory() = default;
  explicit AccessMemory(const StreamHeader& header);
  void begin_launch(const LaunchInfo& launch) { private_.begin_launch(launch.local.count()); }

  /// By the number of the buffer; fewer than there are buffers where the last ones are not known.
  [[nodiscard]] const std::vector<AddressSpace>& spaces() const { return spaces_; }
  [[nodiscard]] bool is_private(BufferId buffer) const {
    return buffer.value() < spaces_.size() && spaces_[buffer.value()] == AddressSpace::Private;
  }
  [[nodiscard]] std::uint64_t base(BufferId buffer) const { return layout_.base(buffer).value(); }
  /// Of a location that is not in private memory.
  [[nodiscard]] std::uint64_t address(BufferAddr where) const { return layout_.address(where).value(); }
  /// Of a location that the lane accesses, wherever it is.
  [[nodiscard]] std::uint64_t address(const WarpAccess& access, LaneId lane, BufferAddr where) const {
    return is_private(where.buffer()) ? private_.address(access.group, access.warp, lane, where)
                                      : address(where);
  }
  /// First address of private memory; absent without private objects.
  [[nodiscard]] std::optional<std::uint64_t> private_begin() const;
  /// Address after everything that the launches can access.
  [[nodiscard]] std::uint64_t end(const StreamHeader& header) const;

 private:
  Layout layout_;
  PrivateMemory private_;
  std::vector<AddressSpace> spaces_;
  std::uint64_t end_of_buffers_ = 0;
  std::uint64_t private_begin_ = 0;
};

}  // namespace warpscope
