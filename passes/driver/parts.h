#pragma once
// Where the parts of this installation are that a compilation needs.
#include <string>

namespace warpscope {

/// The pass plug-in: $WARPSCOPE_PLUGIN, or lib/warpscope/libwarpscope-passes.so of this
/// installation. Throws InputError when there is none.
std::string plugin_path();

/// The directory of our CUDA headers: $WARPSCOPE_CUDA_HEADERS, or share/warpscope/cuda of this
/// installation. Throws InputError when there is none.
std::string cuda_header_path();

} // namespace warpscope
