// Landlock. Its constants are written out, since older headers lack the newer ones. Each version adds to the last.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tools/confine/restrictions.h"
#include "traces/base/refused.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;

constexpr std::uint64_t kExecute = 1 << 0;
constexpr std::uint64_t kWriteFile = 1 << 1;
constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kReadFolder = 1 << 3;
constexpr std::uint64_t kMakeDevices =
    1 << 6 | 1 << 9 | 1 << 11;  // character devices, sockets, block devices
constexpr std::uint64_t kTruncate = 1 << 14;
constexpr std::uint64_t kDeviceControl = 1 << 15;
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceControl;

/// Rights on files by version of the interface: 1 has thirteen; 2 adds links between folders, 3 truncation, 5 the control of devices.
constexpr std::array<std::uint64_t, 6> kRights = {0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff};
constexpr std::uint64_t kTcp = 3;        // bind, connect
constexpr std::uint64_t kScopes = 3;     // abstract sockets, signals
constexpr std::size_t kFilesOnly = 8;    // bytes of the ruleset that version 1 knows
constexpr std::size_t kWithTcp = 16;     // that version 4 knows
constexpr std::size_t kWithScopes = 24;  // that version 6 knows

struct Ruleset {
  std::uint64_t files = 0, network = 0, scopes = 0;
};

struct [[gnu::packed]] RuleBelow {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

void allow(const Descriptor& ruleset, const std::string& path, std::uint64_t rights) {
  const Descriptor opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (opened.number() < 0 || ::fstat(opened.number(), &status) != 0)
    throw InputError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const RuleBelow rule{rights, opened.number()};
  constexpr int kBelowPath = 1;
  if (::syscall(kAddRule, ruleset.number(), kBelowPath, &rule, 0) != 0)
    throw InputError(fmt::format("{}: cannot be allowed: {}", path, std::strerror(errno)));
}

void add_existing(std::vector<std::string>& to, std::initializer_list<std::string> paths) {
  std::error_code ignored;
  for (const std::string& path : paths)
    if (fs::exists(path, ignored)) to.push_back(path);
}

}  // namespace

int landlock_version() {
  constexpr int kOnlyVersion = 1;
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kOnlyVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

AllowedFiles files_of_the_system() {
  AllowedFiles files;
  add_existing(files.execute, {"/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt"});
  // Of /etc what loaders, compilers, PoCL and a user's name need; of /proc the processor, the memory and COMMAND itself.
  add_existing(files.read,
               {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
                "/etc/alternatives", "/etc/OpenCL", "/etc/localtime", "/etc/passwd", "/etc/group",
                "/etc/nsswitch.conf", "/etc/os-release", "/etc/debian_version", "/etc/locale.alias"});
  add_existing(files.read, {"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems",
                            "/proc/sys/vm", "/proc/sys/kernel/cap_last_cap", "/proc/version"});
  add_existing(files.read, {"/sys/devices/system", "/sys/kernel/mm/transparent_hugepage", "/sys/fs/cgroup"});
  add_existing(files.devices, {"/dev/null", "/dev/zero", "/dev/full"});
  add_existing(files.read, {"/dev/urandom", "/dev/random"});
  return files;
}

void add_installation(AllowedFiles& files) {
  std::error_code failed;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", failed).parent_path().parent_path();
  if (!failed)
    add_existing(files.execute, {prefix / "bin", prefix / "lib/warpscope", prefix / "libexec/warpscope",
                                 prefix / "share/warpscope"});
  if (const char* cuda = std::getenv("CUDA_HOME"); cuda != nullptr && *cuda != '\0')
    add_existing(files.execute, {cuda});
}

void give_up_files(const AllowedFiles& files) {
  const int version = landlock_version();
  if (version == 0)
    throw Refused(
        "Landlock is needed to keep files from COMMAND, expected Linux 5.13 or later with it switched on "
        "(lsm=landlock,...)");
  const std::uint64_t rights =
      kRights.at(std::min<std::size_t>(static_cast<std::size_t>(version), kRights.size() - 1));
  const bool network = version >= kLandlockWithNetwork;
  const bool scopes = version >= kLandlockWithScopes;
  const Ruleset wanted{rights, network ? kTcp : 0, scopes ? kScopes : 0};
  const std::size_t bytes = scopes ? kWithScopes : network ? kWithTcp : kFilesOnly;
  const Descriptor ruleset(static_cast<int>(::syscall(kCreateRuleset, &wanted, bytes, 0)));
  if (ruleset.number() < 0)
    throw Refused(fmt::format("Landlock: {}, expected it to take a ruleset", std::strerror(errno)));
  constexpr std::uint64_t kRead = kReadFile | kReadFolder;
  for (const std::string& path : files.read) allow(ruleset, path, kRead & rights);
  for (const std::string& path : files.execute) allow(ruleset, path, (kRead | kExecute) & rights);
  for (const std::string& path : files.write)
    allow(ruleset, path, rights & ~(kExecute | kMakeDevices | kDeviceControl));
  for (const std::string& path : files.devices)
    allow(ruleset, path, (kRead | kWriteFile | kTruncate) & rights);
  if (::syscall(kRestrictSelf, ruleset.number(), 0) != 0)
    throw Refused(fmt::format("Landlock: {}, expected it to bind this process", std::strerror(errno)));
}

}  // namespace warpscope
