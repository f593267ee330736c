#pragma once
#include <string>
#include <string_view>

namespace warpscope::ptx {

/// Preprocessed text in which `__shared__ alignas(16)` has C's `_Alignas`, which clang takes behind
/// an attribute and with the same meaning; nvcc takes C++'s, too. Columns stay. Empty: no such
/// text.
std::string with_late_alignas(std::string_view text);

/// Preprocessed text in which `k << <g, b>> >(x)`, which nvcc takes, has no space inside the marks
/// of a launch. Columns stay, but for the first mark's. Empty: no such text.
std::string with_whole_launches(std::string_view text);

/// Preprocessed text with these and without inline PTX; empty if nothing is to be changed.
std::string as_clang_takes_it(std::string_view text);

} // namespace warpscope::ptx
