#pragma once
// Rates of tensor cores: how long one product of a warp occupies its scheduler's.
#include <cstdint>
#include <string_view>

#include "timed/config/machine_times.h"

namespace warpscope::timed {

/// Cycles of "HMMA.16816.F32"; 1 for what is no product of a known shape, and where the rates are not known.
std::uint32_t tensor_interval(std::string_view name, const MachineTimes& times);

}  // namespace warpscope::timed
