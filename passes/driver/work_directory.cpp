#include "passes/driver/work_directory.h"

#include <cstdlib>
#include <filesystem>

#include "traces/base/error.h"

namespace warpscope {

namespace fs = std::filesystem;

WorkDirectory::WorkDirectory(const std::string &name, const std::optional<std::string> &keep)
    : keep_(keep.has_value()) {
  std::error_code error;
  if (keep) {
    path_ = *keep;
    fs::create_directories(path_, error);
    if (error)
      throw InputError("--keep-temporaries " + path_ + ": " + error.message());
    return;
  }
  path_ = (fs::temp_directory_path(error) / (name + "-XXXXXX")).string();
  if (mkdtemp(path_.data()) == nullptr)
    throw InputError(path_ + ": cannot make a temporary directory, expected a writable $TMPDIR");
}

WorkDirectory::~WorkDirectory() {
  std::error_code error;
  if (!keep_)
    fs::remove_all(path_, error);
}

} // namespace warpscope
