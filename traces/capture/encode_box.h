#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

/// As encode(), of a work-group whose work-items all do what `origin`, of one work-item, does: on its path, in
/// its shapes, and at its locations plus strides[site][d] bytes per step in dimension d.
std::vector<std::uint8_t> encode_box(const WorkGroupTrace& origin, Dim3 local,
                                     std::span<const std::array<std::int64_t, 3>> strides);

}  // namespace warpscope
