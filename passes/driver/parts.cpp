#include "passes/driver/parts.h"

#include <unistd.h>

#include <cstdlib>

#include "traces/base/error.h"
#include "traces/base/installation.h"

namespace warpscope {

std::string cuda_header_path() {
  std::string path;
  if (const char *given = std::getenv("WARPSCOPE_CUDA_HEADERS"); given != nullptr && *given != '\0')
    path = given;
  else
    path = installed_path("share/warpscope/cuda");
  if (access((path + "/cuda_runtime.h").c_str(), R_OK) != 0)
    throw InputError(path + "/cuda_runtime.h: not found, expected the CUDA headers that come with "
                            "trace-kernel; build the target warpscope-cuda-headers or set "
                            "WARPSCOPE_CUDA_HEADERS");
  return path;
}

std::string plugin_path() {
  if (const char *given = std::getenv("WARPSCOPE_PLUGIN"); given != nullptr && *given != '\0') {
    if (access(given, R_OK) != 0)
      throw InputError(std::string("WARPSCOPE_PLUGIN: cannot read '") + given +
                       "', expected libwarpscope-passes.so");
    return given;
  }
  std::string path = installed_path("lib/warpscope/libwarpscope-passes.so");
  if (access(path.c_str(), R_OK) != 0)
    throw InputError(path +
                     ": not found; build the target warpscope-passes or set WARPSCOPE_PLUGIN");
  return path;
}

} // namespace warpscope
