#pragma once
// What --help ends with.
#include <string>
#include <string_view>

namespace warpscope {

/// "\nExamples:\n" and three lines, each a command line of the program: "cachesim sweep", "trace-view". A program without
/// examples is a mistake of ours (assert).
std::string examples_of(std::string_view program);

}  // namespace warpscope
