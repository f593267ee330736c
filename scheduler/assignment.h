#pragma once
// Which core gets which work-group.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/capture.h"
#include "traces/program/group_selection.h"

namespace warpscope {

/// Per core its work-groups, ascending. `present` is ascending and below `total` (work-groups of the launch).
/// `how`:
///   "round-robin"  group i to core i mod cores
///   "random"       the groups in an order drawn with `seed`, dealt out in turn, so that core 0 gets
///                  ceil(groups / cores) of them (Crawford 2014, section 6.4)
///   otherwise      a file with one core number per line, line i + 1 for group i
/// Throws InputError, for the file with file:line.
std::vector<std::vector<WorkGroupId>> assign_groups(const std::vector<WorkGroupId>& present,
                                                    std::uint64_t total, std::uint32_t cores,
                                                    const std::string& how, std::uint64_t seed);

/// Of the first launch of which only some cores' work-groups were recorded: which cores. Absent without one.
std::optional<SampledCores> sampled_cores_of(const LaunchList& launches);
/// Why such a capture has only one placement.
constexpr const char* kSampledPlacement = "the capture holds the work-groups of some cores only";
/// Throws InputError for a launch of which only some cores' work-groups were recorded (`every-core` of its
/// sampling), unless these cores get them here: as many cores, placed by "round-robin".
void require_sampled_cores(const LaunchInfo& launch, std::uint32_t cores, const std::string& how);

/// Throws InputError unless `how` is one of `names` (default: those of assign_groups()) or a file that can be
/// read: what is wrong with it is better known before the work than after.
void require_assignment(const std::string& how, std::span<const char* const> names);
void require_assignment(const std::string& how);

}  // namespace warpscope
