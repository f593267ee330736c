#include "traces/base/installation.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace warpscope {

namespace fs = std::filesystem;

std::string installed_path(const std::string& relative) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path expected = program.parent_path().parent_path() / relative;
  if (fs::exists(expected, error)) return expected.string();
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&installed_path), &self) != 0 && self.dli_fname != nullptr) {
    const fs::path library = fs::canonical(self.dli_fname, error);
    const fs::path in_prefix = library.parent_path().parent_path().parent_path() / relative;
    if (!error && fs::exists(in_prefix, error)) return in_prefix.string();
  }
  return expected.string();
}

}  // namespace warpscope
