#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tools/confine/restrictions.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

void set(__rlimit_resource resource, const char* option, std::uint64_t soft, std::uint64_t hard) {
  const rlimit wanted{soft, hard};
  if (::setrlimit(resource, &wanted) == 0) return;
  rlimit now{};
  ::getrlimit(resource, &now);
  throw InputError(fmt::format("{} {}: {}, expected at most {}, which is in force here", option, soft,
                               std::strerror(errno), now.rlim_max));
}

/// Threads of this user, as Linux counts them for the limit.
std::uint64_t threads_now() {
  std::uint64_t threads = 0;
  std::error_code gone;  // a process may end meanwhile
  for (const fs::directory_entry& process : fs::directory_iterator("/proc", gone)) {
    struct stat status {};
    const std::string name = process.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos ||
        ::stat(process.path().c_str(), &status) != 0)
      continue;
    if (status.st_uid != ::getuid()) continue;
    const auto tasks = fs::directory_iterator(process.path() / "task", gone);
    if (!gone) threads += static_cast<std::uint64_t>(std::distance(fs::begin(tasks), fs::end(tasks)));
  }
  return threads;
}

}  // namespace

bool can_limit_processes() {
  return ::getuid() != 0;
}

void give_up_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    throw InputError(fmt::format("no_new_privs: {}, expected Linux 3.5 or later", std::strerror(errno)));
  // Root gets no privileges at exec, which would also let addresses be random again. Only root may ask for it.
  ::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capset, &header, none) != 0)
    throw InputError(fmt::format("capabilities cannot be given up: {}", std::strerror(errno)));
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

void set_limits(const Limits& limits) {
  ::personality(ADDR_NO_RANDOMIZE);  // where that is forbidden, what depends on addresses may differ
  set(RLIMIT_CORE, "core files", 0, 0);
  if (const auto cpu = limits.cpu_seconds) set(RLIMIT_CPU, "--cpu-seconds", *cpu, *cpu + 1);
  if (const auto memory = limits.memory) set(RLIMIT_AS, "--memory", *memory, *memory);
  if (const auto bytes = limits.file_size) set(RLIMIT_FSIZE, "--file-size", *bytes, *bytes);
  if (const auto more = limits.processes) {
    const std::uint64_t threads = threads_now() + *more;
    set(RLIMIT_NPROC, "--processes", threads, threads);
  }
}

}  // namespace warpscope
