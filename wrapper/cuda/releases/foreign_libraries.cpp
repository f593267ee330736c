// Says which of NVIDIA's libraries a program calls where ours were expected: linked by hand, or by CMake's old FindCUDA, behind -L of the toolkit. They need a driver, and their
// functions return errors without a line.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#ifndef WARPSCOPE_RELEASE
#define WARPSCOPE_RELEASE 13  // for tools that look at one file
#endif

namespace warpscope::cuda::releases {
namespace {

/// A function by which a library is known.
constexpr const char* kFunctions[] = {"cublasCreate_v2", "cublasLtCreate", "cufftPlan1d",
                                      "curandCreateGenerator"};

std::string library_of(const void* address) {
  Dl_info found{};
  return address != nullptr && dladdr(address, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname
                                                                                          : "";
}

/// Before the program's own code: the loader has bound every library's names.
__attribute__((constructor)) void name_foreign_libraries() {
  const std::string own = library_of(reinterpret_cast<const void*>(&name_foreign_libraries));
  const std::string folder = own.substr(0, own.rfind('/') + 1);
  std::string names;
  for (const char* function : kFunctions) {
    const std::string library = library_of(dlsym(RTLD_DEFAULT, function));
    if (!library.empty() && !library.starts_with(folder)) names += (names.empty() ? "" : ", ") + library;
  }
  if (names.empty()) return;
  const std::string ours = folder + "../../cuda/lib64-" + std::to_string(WARPSCOPE_RELEASE);
  char* const path = realpath(ours.c_str(), nullptr);
  std::fprintf(
      stderr,
      "warpscope: %s: NVIDIA's, which needs a GPU: link with -L%s in front of the toolkit's folder, or "
      "start the program by 'warpscope -- PROGRAM'\n",
      names.c_str(), path != nullptr ? path : ours.c_str());
  std::free(path);  // NOLINT(cppcoreguidelines-no-malloc): as realpath() gives it
}

}  // namespace
}  // namespace warpscope::cuda::releases
