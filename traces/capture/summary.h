#pragma once
// How often the sites of a launch were executed, and sums over them.
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "traces/capture/reader.h"

namespace warpscope {

/// Executions of loads, stores and atomics by single work-items.
struct ExecutionCounts {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
};

struct LaunchSummary {
  std::vector<std::uint64_t> site_executions;  ///< executions of each site by work-items
  std::vector<std::uint64_t>
      block_executions;           ///< executions of each block by work-items; empty unless asked for
  std::uint64_t work_groups = 0;  ///< work-groups in the capture
  std::uint64_t work_items = 0;
  /// Over all address spaces but private.
  ExecutionCounts total;
  std::uint64_t barriers = 0;
  std::uint64_t fences = 0;
  std::uint64_t bytes_loaded = 0;  ///< without private memory; atomics count in both
  std::uint64_t bytes_stored = 0;
  std::map<AddressSpace, ExecutionCounts>
      by_address_space;  ///< indexed by the instruction's address space; Generic stays Generic
};

/// `with_blocks`: counts the executions of blocks, too, which takes a walk along every path. Throws InputError if
/// the outcomes of a path lead nowhere.
LaunchSummary summarize(const CaptureReader& capture, const LaunchInfo& launch, bool with_blocks = false);

/// The entry of `launches` in `trace-view --summary --json`.
nlohmann::json to_json(const LaunchInfo& launch, const LaunchSummary& summary);

}  // namespace warpscope
