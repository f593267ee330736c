#pragma once
#include <cstdint>
#include <span>

#include "traces/base/types.h"

namespace warpscope {

/// Where encoded work-groups go. Called from several threads at once, in order of completion.
class WorkGroupSink {
 public:
  virtual ~WorkGroupSink() = default;
  virtual void add(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload) = 0;
  /// A work-group whose payload is more than the memory should hold: its pieces from the first (`part` 0) to the last,
  /// then end_parts(). Pieces may come without that, if recording fails.
  virtual void add_part(LaunchId launch, WorkGroupId group, std::uint32_t part,
                        std::span<const std::uint8_t> bytes) = 0;
  virtual void end_parts(LaunchId launch, WorkGroupId group) = 0;
};

}  // namespace warpscope
