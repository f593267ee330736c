#pragma once
// Debian's libraries that do the work, loaded when the first function needs them: programs that need none, and their
// link, do without.
#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "wrapper/cuda/library_calls.h"

namespace warpscope::cuda {

struct MissingLibrary : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SystemLibrary {
 public:
  /// Throws MissingLibrary with a line for the user: `wanted_by` needs `file`, which is in Debian's `package`.
  SystemLibrary(const std::string& wanted_by, const std::string& file, const std::string& package)
      : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)), file_(file) {
    if (handle_ == nullptr)
      throw MissingLibrary(wanted_by + " needs " + file + ": apt-get install " + package + " (" + dlerror() +
                           ")");
  }
  /// Makes `function` point to `name`. Throws MissingLibrary.
  template <class Function>
  void find(Function*& function, const std::string& name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name.c_str()));
    if (function == nullptr) throw MissingLibrary(file_ + " has no " + name + ": expected Debian 12's");
  }

 private:
  void* handle_;  ///< never closed
  std::string file_;
};

}  // namespace warpscope::cuda
