#include "wrapper/program/program_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpus/preset.h"
#include "traces/base/error.h"

namespace warpscope::layer {
namespace {

constexpr std::uint64_t kKib = 1024;

GpuPreset preset_of(const std::string& text) {
  try {
    return load_preset(text);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("--device-like {}: expected common, pocl or a GPU ({})", text, error.what()));
  }
}

/// "NVIDIA A100, 40 GB (GA100)" -> "NVIDIA A100": what the card is called, without what tells presets apart.
std::string card_name(const std::string& description) {
  const std::size_t end = std::min(description.find(" ("), description.find(','));
  return description.substr(0, end);
}

/// As clinfo prints them for cards from Fermi to Ada: shared memory beyond 48 KiB, which CUDA has for who opts
/// in, is not OpenCL's.
void limit_like_nvidia(DeviceLike& like, const GpuPreset& preset) {
  constexpr std::uint64_t kMostLocal = 48 * kKib;
  like.local_bytes = std::min<std::uint64_t>(like.local_bytes, kMostLocal);
  like.work_items = preset.max_work_group_size.value_or(1024);
  like.work_item_sizes = {like.work_items, like.work_items, 64};
  like.most_allocated_bytes = like.global_bytes / 4;
}

/// As clinfo prints them with ROCm: larger work-groups only for kernels that ask for them.
void limit_like_amd(DeviceLike& like) {
  like.work_items = 256;
  like.work_item_sizes = {1024, 1024, 1024};
  like.char_vectors = 4;
  like.short_vectors = 2;
}

}  // namespace

DeviceLike device_like_from(const std::string& text) {
  DeviceLike like;
  like.name = text;
  if (text == "pocl" || text == "common") return like;
  const GpuPreset preset = preset_of(text);
  like.name = preset.name;
  like.device_name = card_name(preset.description);
  like.warp_size = preset.warp_size;
  like.cores = preset.cores;
  like.cache_bytes = preset.l2_size_kib.value_or(0) * kKib;
  like.cache_line_bytes = preset.l1_line_bytes;
  like.clock_mhz = static_cast<std::uint32_t>(std::lround(preset.core_clock_mhz.value_or(0)));
  like.local_bytes =
      preset.max_local_bytes_per_work_group.value_or(static_cast<std::uint32_t>(like.local_bytes));
  like.global_bytes = preset.dram_size_mib.value_or(0) * kKib * kKib;
  if (preset.vendor == "AMD")
    limit_like_amd(like);
  else
    limit_like_nvidia(like, preset);
  return like;
}

}  // namespace warpscope::layer
