#pragma once
// Which cores belong to one part of a GPU (GPC): the work-groups of a cluster run on the cores of one.
#include <cstdint>
#include <vector>

namespace warpscope {

/// The cores of each GPC, ascending. NVIDIA publishes how many GPCs and cores there are, not which core is in which GPC, nor how the cores that are
/// switched off are distributed: pairs of neighbouring cores (TPCs) are dealt so that no GPC has two more than another, the first
/// GPCs have most (132 cores, 8 GPCs: 18, 18, 16, 16, 16, 16, 16, 16). GPCs without cores are left out.
std::vector<std::vector<std::uint32_t>> cores_of_gpcs(std::uint32_t cores, std::uint32_t gpcs);

}  // namespace warpscope
