#include "wrapper/available_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

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

}  // namespace warpscope
