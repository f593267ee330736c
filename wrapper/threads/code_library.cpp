#include "wrapper/threads/code_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "traces/base/error.h"

namespace warpscope::threads {
namespace {

/// dlopen() gives a library once more whose path it knows, and descriptors' numbers come again. So each gets another
/// spelling of its path: one step in place for each bit of `number` that is set.
std::string path_of(int file, std::size_t number) {
  std::string path = "/proc/self/fd";
  for (; number != 0; number >>= 1U) path += (number & 1U) != 0 ? "/." : "/";
  return path + "/" + std::to_string(file);
}

void* load(const WarpscopeThreadCodeV1& code, std::size_t number) {
  const int file = memfd_create("warpscope-threads", MFD_CLOEXEC);
  if (file < 0) throw InputError("threads of a kernel: no memory for their code, expected some free memory");
  const char* const bytes = reinterpret_cast<const char*>(&code + 1);
  std::uint64_t written = 0;
  while (written < code.bytes) {
    const ssize_t count = ::write(file, bytes + written, code.bytes - written);
    if (count <= 0) break;
    written += static_cast<std::uint64_t>(count);
  }
  void* const library =
      written == code.bytes ? dlopen(path_of(file, number).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  const char* const reason = library != nullptr ? "" : dlerror();
  ::close(file);
  if (library == nullptr)
    throw InputError(std::string("threads of a kernel: their code cannot be loaded: ") +
                     (reason != nullptr ? reason : "not enough memory"));
  return library;
}

}  // namespace

ThreadFunction function_in(const WarpscopeThreadCodeV1& code, const char* symbol) {
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::string>, ThreadFunction> functions;
  static std::map<std::uint64_t, void*> libraries;
  const std::lock_guard lock(mutex);
  const auto [known, is_new] = functions.try_emplace({code.hash, symbol}, nullptr);
  if (known->second != nullptr) return known->second;
  void*& library = libraries[code.hash];
  if (library == nullptr) library = load(code, libraries.size());
  known->second = reinterpret_cast<ThreadFunction>(dlsym(library, symbol));
  if (known->second == nullptr)
    throw InputError(std::string("threads of a kernel: '") + symbol + "' is not in their code");
  return known->second;
}

}  // namespace warpscope::threads
