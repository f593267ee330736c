#include "wrapper/run/available_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace warpscope {

std::uint64_t available_memory() {
  std::uint64_t bytes = std::uint64_t{1} << 62;
  std::ifstream system("/proc/meminfo");
  for (std::string word; system >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "MemAvailable:" && system >> kibibytes) bytes = std::min(bytes, kibibytes * 1024);
  }
  std::ifstream group("/sys/fs/cgroup/memory.max");  // "max" where there is no limit
  std::uint64_t limit = 0;
  if (group >> limit) bytes = std::min(bytes, limit);
  return bytes;
}

std::uint64_t pocl_threads() {
  if (const char* const count = std::getenv("POCL_MAX_PTHREAD_COUNT"))
    return std::clamp(std::strtoull(count, nullptr, 10), 1ull, 1024ull);
  return std::max(1u, std::thread::hardware_concurrency());
}

std::uint64_t default_group_memory() {
  return std::clamp(available_memory() / (2 * pocl_threads()), std::uint64_t{1} << 24,
                    std::uint64_t{1} << 30);
}

}  // namespace warpscope
