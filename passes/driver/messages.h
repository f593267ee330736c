#pragma once
#include <string>

namespace warpscope {

/// What clang and opt say, without what a user of ours has no use for.

std::string without_trailing_newline(std::string text);

/// "1 error generated when compiling for .": the device has no name.
std::string without_device(std::string text);

/// "warning: FILE:LINE:COLUMN: loop not unrolled: …" is said of a #pragma that cannot be followed;
/// GPUs' compilers keep silent about it.
std::string without_loop_warnings(const std::string &text);

} // namespace warpscope
