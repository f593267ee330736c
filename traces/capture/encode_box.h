#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

/// The payloads of work-groups that differ only in where their sites are: they share everything but a few bytes.
class BoxEncoding {
 public:
  /// Of work-groups whose work-items all do what one does, on its path, in its shapes, and at its locations plus a stride
  /// per dimension. `origin`: the first work-item, as a work-group of its own. strides[site][d]: bytes to the next
  /// work-item in dimension d.
  void set(const WorkGroupTrace& origin, Dim3 local, std::span<const std::array<std::int64_t, 3>> strides);
  /// Of work-groups like this one, without a recorded order.
  void set(const WorkGroupTrace& group);
  /// As encode() of that work-group: first[i] is where the i-th site with accesses, in order of sites, is first accessed
  /// by the first work-item that does.
  /// Valid until the next call.
  std::span<const std::uint8_t> put(std::span<const std::uint64_t> first);

 private:
  struct Column {
    std::vector<std::uint8_t> before;  ///< everything up to the first work-item's location
    DeltaRun next;                     ///< steps to the next work-items; repeat 0 = there are none
    std::vector<std::uint8_t> after;   ///< bytes that follow these
    std::size_t at = 0, length = 0;    ///< bytes of `payload_` that are the first work-item's location
  };
  void lay_out(std::span<const std::uint64_t> first);
  [[nodiscard]] bool put_in_place(std::span<const std::uint64_t> first);

  std::vector<std::uint8_t> head_;
  std::vector<std::uint8_t> payload_;  ///< the last one; empty: none
  std::vector<Column> columns_;
};

}  // namespace warpscope
