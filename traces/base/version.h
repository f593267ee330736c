#pragma once
// What every file and report says about the program that made it.

#include <string>

namespace warpscope {

/// "0.1.0": the project's version.
const char* version();
/// The commit that was built, as git describes it; "unknown" outside of a checkout.
const char* commit();
/// Of the model: which numbers the same input gets. It rises by 1 with every change that moves one of them, be it in the
/// compilation, the order, a cache, the timed engine or a preset; docs/reference/model-changes.md says what moved, and
/// tests/golden fails where numbers move and this does not.
constexpr int kModelVersion = 6;
/// Answer to --version: "TOOL VERSION (COMMIT)" with a newline.
inline std::string version_line(const std::string& tool) {
  return tool + " " + version() + " (" + commit() + ")\n";
}

}  // namespace warpscope
