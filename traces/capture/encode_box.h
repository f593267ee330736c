#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

/// The payloads of work-groups whose work-items all do what one does, on its path, in its shapes, and at its
/// locations plus a stride per dimension. Work-groups that differ in the locations of their first work-item
/// share everything but a few bytes.
class BoxEncoding {
 public:
  /// `origin`: the first work-item, as a work-group of its own. strides[site][d]: bytes to the next work-item in
  /// dimension d.
  void set(const WorkGroupTrace& origin, Dim3 local, std::span<const std::array<std::int64_t, 3>> strides);
  /// As encode() of that work-group: first[i] is where the first work-item first accesses what the i-th site with
  /// accesses does, in order of sites.
  void put(std::span<const std::uint64_t> first, std::vector<std::uint8_t>& payload) const;

 private:
  struct Column {
    std::vector<std::uint8_t> before;  ///< everything up to the first work-item's location
    DeltaRun next;                     ///< steps to the next work-items; repeat 0 = there are none
    std::vector<std::uint8_t> after;   ///< what follows these
  };
  std::vector<std::uint8_t> head_;
  std::vector<Column> columns_;
};

}  // namespace warpscope
