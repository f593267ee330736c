#pragma once
// Work-groups of a launch that may have to run once more: kept, in a file if they are many, until it is known that what they did stays.
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "wrapper/recording/spill/spool_io.h"
#include "wrapper/recording/spill/work_group_sink.h"

namespace warpscope {

/// Takes work-groups of several threads. What is not handed on is forgotten.
class HeldGroups : public WorkGroupSink {
 public:
  /// Throws InputError when the file cannot be written.
  void add(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload) override;
  void add_part(LaunchId launch, WorkGroupId group, std::uint32_t part,
                std::span<const std::uint8_t> bytes) override;
  void end_parts(LaunchId launch, WorkGroupId group) override;

  /// All of them in the order of the work-groups. Throws what the sink throws, and InputError when the file cannot be read.
  void hand_on(WorkGroupSink& sink);

 private:
  static constexpr std::uint32_t kWhole = ~std::uint32_t{0}, kEnd = kWhole - 1;
  struct Piece {
    LaunchId launch;
    WorkGroupId group;
    std::uint32_t part = kWhole;
    std::uint64_t begin = 0, end = 0;  ///< in the spool
  };
  void keep(LaunchId launch, WorkGroupId group, std::uint32_t part, std::span<const std::uint8_t> bytes);

  std::mutex mutex_;  ///< guards what follows
  SpoolWriter spool_;
  std::vector<Piece> pieces_;
};

}  // namespace warpscope
