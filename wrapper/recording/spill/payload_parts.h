#pragma once
// A work-group's payload on its way to the sink, of which only a piece is in memory.
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "wrapper/recording/spill/work_group_sink.h"

namespace warpscope {

class PayloadParts {
 public:
  /// `part_bytes`: size of a piece.
  PayloadParts(WorkGroupSink& sink, LaunchId launch, WorkGroupId group, std::size_t part_bytes)
      : sink_(sink), launch_(launch), group_(group), part_bytes_(part_bytes) {}

  void add(std::span<const std::uint8_t> bytes);
  void add_varint(std::uint64_t value);
  /// Hands over what is left; a payload of one piece as any other work-group's.
  void end();
  /// Whether what was thrown last came from the sink.
  [[nodiscard]] bool has_failed_sink() const { return is_in_sink_; }
  [[nodiscard]] std::uint64_t bytes() const { return given_ + waiting_.size(); }

 private:
  void give();

  WorkGroupSink& sink_;
  LaunchId launch_;
  WorkGroupId group_;
  std::size_t part_bytes_;
  std::uint32_t parts_ = 0;
  std::uint64_t given_ = 0;
  bool is_in_sink_ = false;
  std::vector<std::uint8_t> waiting_;
};

}  // namespace warpscope
