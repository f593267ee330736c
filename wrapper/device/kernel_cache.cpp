#include "wrapper/device/kernel_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace warpscope::device {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCacheVariable = "POCL_CACHE_DIR";

std::string text_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? text : "";
}

/// Where PoCL 3.1 puts its cache; "" if it has no place.
std::string usual_folder() {
  if (std::string own = text_of(kCacheVariable); !own.empty()) return own;
  if (const std::string cache = text_of("XDG_CACHE_HOME"); !cache.empty()) return cache + "/pocl/kcache";
  const std::string home = text_of("HOME");
  return home.empty() ? "" : home + "/.cache/pocl/kcache";
}

bool is_writable(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

// Never destroyed: exit handlers read them.
std::string* private_folder = nullptr;
pid_t owner = 0;

}  // namespace

std::string ensure_kernel_cache() {
  const std::string usual = usual_folder();
  if (!usual.empty() && is_writable(usual)) return "";
  const char* const why = std::strerror(usual.empty() ? ENOENT : errno);
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "warpscope-kernels-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    return fmt::format(
        "PoCL has no folder for compiled kernels: {} cannot be written ({}), nor can {}; expected a writable "
        "$POCL_CACHE_DIR or $TMPDIR",
        usual.empty() ? "~/.cache/pocl" : usual, why, name);
  private_folder = new std::string(name);
  owner = ::getpid();
  ::setenv(kCacheVariable, name.c_str(), 1);
  std::atexit(&remove_private_kernel_cache);
  return "";
}

void remove_private_kernel_cache() noexcept {
  if (private_folder == nullptr || owner != ::getpid()) return;
  std::error_code error;
  fs::remove_all(*private_folder, error);
}

}  // namespace warpscope::device
