#pragma once
// Launches that the simulated GPU cannot run, or of which no cycles are estimated: they are left out and named, the
// others are simulated.
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "gpus/preset.h"
#include "traces/program/capture.h"

namespace warpscope {

/// Takes the misfits (scheduler/residency.h) out of `launches` and returns them as `context.skipped` of
/// cachesim/RESULT.md: an element per kernel and limit, in order of the first launch. Throws Refused when
/// `launches` is not empty and none of them fits.
nlohmann::json skip_misfits(std::vector<const LaunchInfo*>& launches, const GpuPreset& preset,
                            std::optional<std::uint32_t> registers);

/// `skipped` of a stream's context; an empty list if there is none. Throws InputError where it is not what
/// skip_misfits() returns.
nlohmann::json skipped_in(const nlohmann::json& context);

/// What a kernel does that the timed engine does not model, "wmma, cp.async"; empty if nothing.
std::string untimed_in_kernel(const KernelInfo& kernel);
/// Launches of such kernels, as `context.not_timed` of
/// cachesim/RESULT.md: an element per kernel, in order of the first launch.
nlohmann::json untimed_among(const std::vector<const LaunchInfo*>& launches);
/// The same, taken out of `launches`. Throws Refused when none is left.
nlohmann::json leave_untimed_out(std::vector<const LaunchInfo*>& launches);
/// `not_timed` of a stream's context, as skipped_in().
nlohmann::json untimed_in(const nlohmann::json& context);

/// Writes a line per element of `skipped` and returns a tool's exit status: 3 if there is one, else 0.
int report_skipped(const std::string& tool, const nlohmann::json& skipped, std::ostream& out);

}  // namespace warpscope
