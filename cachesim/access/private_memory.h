#pragma once
// Where the private arrays that remain in memory live ("local memory" in the vendor's sense): the 32-bit
// words of a warp's lanes are side by side, so that lanes which access the same word of their arrays touch
// one stretch of memory.
#include <cstdint>
#include <vector>

#include "traces/program/capture.h"

namespace warpscope {

class PrivateMemory {
 public:
  PrivateMemory() = default;
  /// `first`: address of the first warp's stretch, above everything else.
  PrivateMemory(const std::vector<BufferInfo>& buffers, std::uint32_t warp_size, std::uint64_t first);
  /// Warps are numbered in work-group order; `local` is the work-group size of the launch.
  void begin_launch(std::uint64_t work_items_per_group);
  /// Address of byte `offset` of a lane's object: base of the warp + (word * warp size + lane) * 4 + byte in
  /// the word.
  [[nodiscard]] std::uint64_t address(WorkGroupId group, WarpId warp, LaneId lane, BufferAddr where) const {
    const std::uint64_t byte = frame_offset_[where.buffer().value()] + where.offset();
    const std::uint64_t number = group.value() * warps_per_group_ + warp.value();
    return first_ + number * stretch_ + ((byte / 4) * warp_size_ + lane.value()) * 4 + byte % 4;
  }
  /// No object is private.
  [[nodiscard]] bool empty() const { return stretch_ == 0; }
  /// Address after the last warp's stretch of a launch.
  [[nodiscard]] std::uint64_t end(const LaunchInfo& launch) const;

 private:
  std::uint32_t warp_size_ = 32;
  std::uint64_t first_ = 0;
  std::uint64_t stretch_ = 0;  ///< bytes per warp
  std::uint64_t warps_per_group_ = 1;
  std::vector<std::uint64_t>
      frame_offset_;  ///< indexed by BufferId: where an object starts in its work-item's frame
};

}  // namespace warpscope
