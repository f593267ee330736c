#pragma once
// How often warps and work-items enter each block of a kernel: times the capture's instruction mix, what a GPU executes.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "scheduler/replay/work_group_source.h"
#include "scheduler/schedule.h"
#include "traces/capture/reader.h"

namespace warpscope {

/// Entries of a block. A warp whose lanes come one after the other counts every time.
struct BlockCount {
  std::uint64_t warps = 0, work_items = 0;
  bool operator==(const BlockCount&) const = default;
};

/// By block, of all work-groups of the launch. Of the options warp_size and reconvergence count: neither the order nor the cores change
/// how often a block is entered. Throws as run_launch().
std::vector<BlockCount> count_blocks(const WorkGroupSource& source, const ScheduleOptions& options);

/// count_blocks() of every selected launch, as `warpsched --block-counts` writes it. Throws as run_schedule().
nlohmann::ordered_json block_counts_json(const CaptureReader& capture, const ScheduleOptions& options);

}  // namespace warpscope
