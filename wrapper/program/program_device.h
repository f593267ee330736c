#pragma once
// The device that a traced program sees, from what is known of a GPU.
#include <string>

#include "wrapper/session/device_like.h"

namespace warpscope::layer {

/// --device-like: "pocl", "common", or a GPU (load_preset()). What the preset does not know stays PoCL's.
/// Throws InputError.
DeviceLike device_like_from(const std::string& text);

}  // namespace warpscope::layer
