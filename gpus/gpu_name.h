#pragma once
// What people call a GPU, and the name of its preset.
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

/// "NVIDIA GeForce RTX 3090", "rtx-3090" -> "rtx3090": lower case, without blanks, hyphens, underscores and the words that a maker puts in
/// front. NVIDIA's workstation cards lose their RTX, too ("RTX A6000" -> "a6000"). python/warpscope/base/presets.py has the same rule.
std::string canonical_gpu_name(std::string_view name);

/// Those of `names` that somebody who typed `name` may mean, at most three, the nearest first: names that begin alike, else names in which
/// one or two letters differ, else names that have it in them.
std::vector<std::string> similar_gpu_names(std::string_view name, const std::vector<std::string>& names);

/// The same for other names, which are taken as they are.
std::vector<std::string> similar_names(std::string_view typed, const std::vector<std::string>& names);

}  // namespace warpscope
