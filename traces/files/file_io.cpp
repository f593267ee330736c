#include "traces/files/file_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "traces/base/error.h"

namespace warpscope {

void Descriptor::reset(int value) {
  if (value_ > STDERR_FILENO) ::close(value_);
  value_ = value;
}

std::string io_message(const std::string& path, const char* action, int error_number) {
  return fmt::format("{}: cannot {}: {}", path, action, std::strerror(error_number));
}

Descriptor open_input(const std::string& path) {
  if (path == "-") return Descriptor(STDIN_FILENO);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) throw InputError(io_message(path, "read", errno));
  if (S_ISDIR(info.st_mode)) throw InputError(io_message(path, "read", EISDIR));
  return file;
}

Descriptor open_spool() {
  const char* configured = std::getenv("TMPDIR");
  const std::string folder = configured != nullptr && *configured != '\0' ? configured : "/tmp";
  std::string name = folder + "/warpscope-XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) throw InputError(io_message(folder, "create a temporary file", errno));
  ::unlink(name.c_str());
  return file;
}

// Beyond the limit, which only counts when a number is given out.
Descriptor out_of_reach(Descriptor file) {
  constexpr rlim_t kMostNumbers = 65536;  // the kernel's table has an entry for each
  constexpr rlim_t kRoom = 64;
  rlimit limit{};
  if (!file.valid() || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return file;
  const rlim_t first = std::min(limit.rlim_cur, kMostNumbers);
  rlimit raised = limit;
  raised.rlim_cur = std::min(limit.rlim_max, first + kRoom);
  const bool is_raised = raised.rlim_cur > limit.rlim_cur && ::setrlimit(RLIMIT_NOFILE, &raised) == 0;
  const rlim_t from = is_raised || limit.rlim_cur > first ? first : first - std::min(first, kRoom);
  Descriptor moved(::fcntl(file.get(), F_DUPFD_CLOEXEC, static_cast<int>(from)));
  if (is_raised) ::setrlimit(RLIMIT_NOFILE, &limit);
  return moved.valid() ? std::move(moved) : std::move(file);
}

void copy_all(int from, const std::string& from_name, int to, const std::string& to_name) {
  std::vector<std::uint8_t> buffer(1u << 20);
  while (const std::size_t count = read_some(from, buffer, from_name)) {
    write_all(to, std::span(buffer).first(count), to_name);
  }
}

std::uint64_t file_size(int descriptor, const std::string& path) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) throw InputError(io_message(path, "read", errno));
  return static_cast<std::uint64_t>(info.st_size);
}

void seek_to(int descriptor, std::uint64_t offset, const std::string& path) {
  if (::lseek(descriptor, static_cast<off_t>(offset), SEEK_SET) < 0)
    throw InputError(io_message(path, "read", errno));
}

bool is_special_file(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return false;
  if (!S_ISREG(info.st_mode)) return true;
  // Names of what is open already, which may be a file: the name is the system's, and must not be replaced.
  for (const char* name : {"/dev/stdin", "/dev/stdout", "/dev/stderr"})
    if (path == name) return true;
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

void write_all(int descriptor, std::span<const std::uint8_t> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) throw ClosedPipe();
    if (written <= 0) throw InputError(io_message(path, "write", written == 0 ? ENOSPC : errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

std::size_t read_some(int descriptor, std::span<std::uint8_t> bytes, const std::string& path) {
  std::size_t total = 0;
  while (total < bytes.size()) {
    const ssize_t count = ::read(descriptor, bytes.data() + total, bytes.size() - total);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InputError(io_message(path, "read", errno));
    if (count == 0) break;
    total += static_cast<std::size_t>(count);
  }
  return total;
}

std::size_t read_some_at(int descriptor, std::uint64_t offset, std::span<std::uint8_t> bytes,
                         const std::string& path) {
  std::size_t total = 0;
  while (total < bytes.size()) {
    const ssize_t count =
        ::pread(descriptor, bytes.data() + total, bytes.size() - total, static_cast<off_t>(offset + total));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InputError(io_message(path, "read", errno));
    if (count == 0) break;
    total += static_cast<std::size_t>(count);
  }
  return total;
}

}  // namespace warpscope
