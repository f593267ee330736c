#pragma once
// GPU presets: data files gpus/<name>.json, every value with a source or "unknown".
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

/// What scheduler and cache simulator read from a preset. Absent = "unknown" in the file.
struct GpuPreset {
  std::string name, description, generation;
  std::uint32_t cores = 1;
  std::uint32_t warp_size = 32;
  std::optional<std::uint32_t> max_work_groups_per_core;
  std::optional<std::uint32_t> max_warps_per_core;
  std::optional<std::uint32_t> max_work_items_per_core;
  std::optional<std::uint32_t> max_work_group_size;
  std::optional<std::uint64_t> local_bytes_per_core;
  std::optional<std::uint32_t> schedulers_per_core;
  // L1
  std::uint64_t l1_size_kib = 16;
  std::uint32_t l1_line_bytes = 128, l1_ways = 4;
  std::string l1_replacement = "LRU", l1_write_policy = "WTNA", l1_set_index = "linear", coalescing = "fermi";
  nlohmann::json raw;  ///< the whole file, for --show-preset and the context block
};

/// Loads a preset by name (from the presets folder beside the binary or in the source tree) or by path of a
/// .json file. Throws InputError: unknown name (lists the known ones), unknown key, missing source,
/// inconsistent geometry.
GpuPreset load_preset(const std::string& name_or_path);
std::vector<std::string> preset_names();

}  // namespace warpscope
