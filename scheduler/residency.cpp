#include "scheduler/residency.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "traces/error.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t fitting(const LaunchInfo& launch, const GpuPreset& preset, const char* what,
                      std::optional<std::uint64_t> per_core, std::uint64_t per_group) {
  if (!per_core || per_group == 0) return kUnlimited;
  if (*per_core >= per_group) return *per_core / per_group;
  throw InputError(
      fmt::format("launch {}: a work-group needs {} {}, a core of {} has {}; take smaller work-groups, or "
                  "--max-workgroups to ignore the limits",
                  launch.id.value(), per_group, what, preset.name, *per_core));
}

}  // namespace

std::uint32_t resident_work_groups(const LaunchInfo& launch, const GpuPreset& preset) {
  const std::uint64_t items = launch.local.count();
  const std::uint64_t warps = (items + preset.warp_size - 1) / preset.warp_size;
  const std::uint64_t local = launch.kernel.static_local_bytes + launch.dynamic_local_bytes;
  const std::uint64_t limit =
      std::min({fitting(launch, preset, "slots", preset.max_work_groups_per_core, 1),
                fitting(launch, preset, "warps", preset.max_warps_per_core, warps),
                fitting(launch, preset, "work-items", preset.max_work_items_per_core, items),
                fitting(launch, preset, "bytes of local memory", preset.local_bytes_per_core, local)});
  return limit == kUnlimited ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, 0xFFFFFFFFu));
}

}  // namespace warpscope
