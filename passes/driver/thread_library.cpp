#include "passes/driver/thread_library.h"

#include <filesystem>
#include <vector>

#include "passes/driver/parts.h"
#include "passes/driver/subprocess.h"
#include "traces/base/error.h"
#include "traces/base/installation.h"

namespace warpscope {

namespace {

namespace fs = std::filesystem;

void run_tool(const std::string &package, std::vector<std::string> command) {
  const std::string program = find_program(command[0]);
  if (program.empty())
    throw InputError(command[0] + ": not found in PATH, expected the Debian package " + package +
                     "; install it with apt-get");
  const std::string name = command[0];
  command[0] = program;
  const ProcessResult result = run_process(command);
  if (result.status != 0)
    throw InputError("threads of a kernel: " + name + " failed", result.output);
}

// PoCL's built-in functions, for the oldest processor that this machine's programs may run on. A
// self-contained archive has its own PoCL.
std::string builtin_functions() {
  std::string any;
  std::error_code error;
  std::string folder = installed_path("share/pocl");
  if (!fs::exists(folder, error))
    folder = "/usr/share/pocl";
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("kernel-") || !name.ends_with(".bc"))
      continue;
    if (any.empty() || name.ends_with("-sse2.bc"))
      any = entry.path().string();
  }
  if (any.empty())
    throw InputError(folder + ": no kernel-*.bc, expected the built-in functions of the Debian "
                              "package libpocl2-common; install it with apt-get");
  return any;
}

} // namespace

void embed_thread_library(const std::string &threads, const std::string &bitcode) {
  std::error_code error;
  if (!fs::exists(threads, error))
    return;
  const std::string linked = threads + ".linked.bc", library = threads + ".so";
  // PoCL's functions have pointers without a type, and llvm-link goes by the first file.
  run_tool("llvm-15", {"opt-15", "-opaque-pointers", "-passes=globaldce", threads, "-o", threads});
  run_tool("llvm-15", {"llvm-link-15", "--suppress-warnings", "--only-needed", "--internalize",
                       threads, builtin_functions(), "-o", linked});
  // -z now: what is missing is named when the library is loaded, not in the middle of a launch.
  run_tool("clang-15", {"clang-15", "-O2", "-w", "-fPIC", "-shared", "-nostdlib", "-x", "ir",
                        linked, "-o", library, "-Wl,-z,now", "-Wl,--build-id=none"});
  run_tool("llvm-15",
           {"opt-15", "-load-pass-plugin=" + plugin_path(), "-passes=warpscope-embed-threads",
            "-warpscope-threads-library=" + library, bitcode, "-o", bitcode});
  for (const std::string &path : {threads, linked, library})
    fs::remove(path, error);
}

} // namespace warpscope
