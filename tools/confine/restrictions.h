#pragma once
// What a process can give up for good, and with it everything that it starts. Each function is for the calling thread, which is the only one.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

/// The version of Landlock's interface that the kernel has (1 to 7 are known here); 0 if it has none, or does not let us.
int landlock_version();
/// Whether the kernel filters the calls of a process (seccomp), and this is a processor whose calls are known here: x86-64.
bool can_filter_calls();
/// Whether a limit on processes binds this user: Linux has none for root.
bool can_limit_processes();

/// Landlock from version 4 on keeps TCP from connections, and from 6 on signals and abstract sockets inside.
constexpr int kLandlockWithNetwork = 4;
constexpr int kLandlockWithScopes = 6;

/// Files that the process keeps. Folders count with everything below them; symbolic links are followed now.
struct AllowedFiles {
  std::vector<std::string> read = {};     ///< read
  std::vector<std::string> execute = {};  ///< read and executed
  std::vector<std::string> write = {};    ///< everything but executed: created, changed, removed
  std::vector<std::string> devices = {};  ///< read and written, not removed
};

/// The files of the system that programs, PoCL and compilers need; what does not exist is left out.
AllowedFiles files_of_the_system();
/// Adds the folders of this installation, which is where the running program is, and of the CUDA toolkit in $CUDA_HOME.
void add_installation(AllowedFiles& files);

/// No new privileges and no capabilities. Throws InputError.
void give_up_privileges();
/// Landlock: all access to files but `files`, bound and connected TCP sockets, signals and abstract sockets to processes outside, as far as the
/// kernel's version knows them. Throws InputError for a path that cannot be opened, Refused without Landlock.
void give_up_files(const AllowedFiles& files);
/// seccomp: the calls of tools/confine/calls.cpp fail with EPERM, unknown ones with ENOSYS, those of another architecture kill. Throws Refused.
void give_up_calls();

/// Limits per process; absent: as it was. Core files are never written.
struct Limits {
  std::optional<std::uint64_t> cpu_seconds = {};  ///< SIGXCPU then, SIGKILL a second later
  std::optional<std::uint64_t> memory = {};       ///< bytes of address space
  std::optional<std::uint64_t> file_size = {};    ///< bytes
  std::optional<std::uint64_t> processes = {};    ///< threads of this user more than now, of all programs
};

/// Also lets memory have the same addresses in every run. Throws InputError if a limit is above the one that is in force.
void set_limits(const Limits& limits);

}  // namespace warpscope
