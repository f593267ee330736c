#pragma once
// What every file and report says about the program that made it.

#include <string>

namespace warpscope {

/// "0.1.0": the project's version.
const char* version();
/// The commit that was built, as git describes it; "unknown" outside of a checkout.
const char* commit();
/// Answer to --version: "TOOL VERSION (COMMIT)" with a newline.
inline std::string version_line(const std::string& tool) {
  return tool + " " + version() + " (" + commit() + ")\n";
}

}  // namespace warpscope
