#pragma once
// Kernel arguments as text.
#include <cstdint>
#include <span>
#include <string>

namespace warpscope::layer {

/// The value of an argument by OpenCL C's built-in type: "3", "0.5", "1,2,3,4"; other types as bytes in
/// hexadecimal, "0x" and the first byte first.
std::string text_of_argument(const std::string& type, std::span<const std::uint8_t> bytes);

/// True for images, samplers, pipes, queues and events of the device.
bool is_image_type(const std::string& type);

}  // namespace warpscope::layer
