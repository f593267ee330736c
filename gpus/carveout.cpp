#include "gpus/carveout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "gpus/l1_shape.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

/// What the driver wants beyond room for what is resident, fitted on published launches
/// (validation/truth/carveout.csv); of 9.0 on launches of a micro-benchmark (validation/notes/h100.md).
struct Driver {
  std::string_view compute_capability;
  std::uint32_t warps;      ///< room for this many, whatever their registers; 0 = for the resident ones
  std::uint32_t least_kib;  ///< smallest size
  bool doubles = false;     ///< room for twice as many work-groups as are resident; see hopper_bytes()
};
constexpr std::array kDrivers = {Driver{"8.0", 0, 32},  Driver{"8.6", 64, 0},      Driver{"8.7", 64, 0},
                                 Driver{"8.9", 96, 0},  Driver{"9.0", 0, 0, true}, Driver{"10.0", 0, 32},
                                 Driver{"12.0", 96, 0}, Driver{"12.1", 96, 0}};

Driver driver_of(const GpuPreset& preset) {
  const auto* const found = std::find_if(kDrivers.begin(), kDrivers.end(), [&](const Driver& driver) {
    return driver.compute_capability == preset.compute_capability;
  });
  return found != kDrivers.end() ? *found : Driver{"", 0, 0};
}

/// Bytes for the warps that the driver wants room for: up to half of the unified memory.
std::uint64_t wanted_bytes(const GpuPreset& preset, const WorkGroupNeeds& needs, std::uint32_t wanted_warps) {
  const std::uint64_t warps =
      std::max<std::uint64_t>(1, (needs.work_items + preset.warp_size - 1) / preset.warp_size);
  const std::uint64_t groups = std::min<std::uint64_t>(
      wanted_warps / warps, preset.max_work_groups_per_core.value_or(~std::uint32_t{0}));
  return std::min(groups * allocated_local_bytes(preset, needs.local_bytes),
                  std::uint64_t{*preset.l1_unified_kib} * 1024 / 2);
}

/// What the driver wants on compute capability 9.0: all 353 launches of an H100 that were measured have the size that follows.
std::uint64_t hopper_bytes(const GpuPreset& preset, const WorkGroupNeeds& needs, std::uint64_t resident) {
  constexpr std::uint64_t kKib = 1024;
  const bool is_alone = resident == 1;
  std::uint64_t least = 0;
  if (needs.local_bytes == 0)
    least = is_alone || needs.work_items >= 768 ? 8 * kKib : needs.work_items >= 512 ? 16 * kKib : 32 * kKib;
  if (is_alone || needs.work_items >= 1024) return least;
  const std::uint64_t groups =
      std::min<std::uint64_t>(2 * resident, preset.max_work_groups_per_core.value_or(~std::uint32_t{0}));
  return std::max(least, std::min(groups * allocated_local_bytes(preset, needs.local_bytes),
                                  *preset.l1_unified_kib * kKib / 2));
}

std::string listed(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

}  // namespace

std::uint32_t carveout_kib(const GpuPreset& preset, const WorkGroupNeeds& needs) {
  if (!preset.l1_unified_kib) return 0;
  const Driver driver = driver_of(preset);
  // One that does not fit, or that only an estimate of its registers forbids, is alone.
  const std::uint64_t resident = std::max<std::uint64_t>(1, occupancy(preset, needs).work_groups());
  const std::uint64_t bytes = std::max(
      {resident * allocated_local_bytes(preset, needs.local_bytes), wanted_bytes(preset, needs, driver.warps),
       std::uint64_t{driver.least_kib} * 1024, driver.doubles ? hopper_bytes(preset, needs, resident) : 0});
  const auto& sizes = *preset.local_carveouts_kib;
  const auto covers = std::find_if(sizes.begin(), sizes.end(),
                                   [&](std::uint32_t kib) { return std::uint64_t{kib} * 1024 >= bytes; });
  return covers != sizes.end() ? *covers : sizes.back();
}

void set_carveout(GpuPreset& preset, const std::string& text) {
  if (!preset.l1_unified_kib)
    throw InputError(
        fmt::format("--carveout {}: {} has no memory that its L1 and local memory share, expected a GPU that "
                    "has, such as v100, and no --set l1_size_kib",
                    text, preset.name));
  const auto& sizes = *preset.local_carveouts_kib;
  const auto kib = parse_number(text, 0, 0xFFFFFFFFu);
  if (!kib || std::find(sizes.begin(), sizes.end(), *kib) == sizes.end())
    throw InputError(fmt::format("--carveout {}: expected one of {}, the sizes in KiB that {} has", text,
                                 listed(sizes), preset.name));
  // The only size there is: nothing is left to choose.
  preset.local_carveouts_kib = {static_cast<std::uint32_t>(*kib)};
  preset.local_bytes_per_core = preset.local_carveouts_kib->front() * 1024;
}

std::string name_and_carveout(const GpuPreset& preset) {
  const bool is_fixed = preset.l1_unified_kib && preset.local_carveouts_kib->size() == 1;
  return is_fixed ? fmt::format("{} with --carveout {}", preset.name, preset.local_carveouts_kib->front())
                  : preset.name;
}

std::optional<std::uint32_t> carveout_beside(const GpuPreset& preset, std::uint64_t l1_kib) {
  if (!preset.l1_unified_kib) return std::nullopt;
  for (const std::uint32_t kib : *preset.local_carveouts_kib)
    if (l1_shape(preset, kib).size_kib == l1_kib) return kib;
  return std::nullopt;
}

}  // namespace warpscope
