// seccomp: a program of the classic packet filter that sees the number and the arguments of each call, not what they point to.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "tools/confine/restrictions.h"
#include "traces/base/refused.h"

namespace warpscope {

#ifdef __x86_64__
namespace {

constexpr std::uint32_t kLastKnown = 462;     // mseal, Linux 6.10; x86-64's table
constexpr std::uint32_t kOfX32 = 0x40000000;  // the bit of the x32 interface
// Newer than the headers that this builds with.
constexpr long kFchmodat2 = 452;

/// Fail with EPERM whatever their arguments.
constexpr long kRefused[] = {
    // the network, and sockets with names
    __NR_socket, __NR_bind, __NR_connect, __NR_listen, __NR_accept, __NR_accept4,
    // other processes
    __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_process_madvise, __NR_kcmp,
    __NR_pidfd_getfd, __NR_process_mrelease, __NR_migrate_pages,
    // leaving the process group, by which a caller ends everything
    __NR_setsid, __NR_setpgid,
    // memory and messages that outlive the process or are shared with others
    __NR_shmget, __NR_shmat, __NR_shmctl, __NR_semget, __NR_semop, __NR_semctl, __NR_semtimedop, __NR_msgget,
    __NR_msgsnd, __NR_msgrcv, __NR_msgctl, __NR_mq_open, __NR_mq_unlink,
    // owners, modes, times and attributes, which Landlock leaves alone, and the truncation that its first versions do
    __NR_chmod, __NR_fchmod, __NR_fchmodat, kFchmodat2, __NR_chown, __NR_fchown, __NR_lchown, __NR_fchownat,
    __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr,
    __NR_utime, __NR_utimes, __NR_futimesat, __NR_utimensat, __NR_truncate,
    // the system: mounts, modules, keys, clocks, and interfaces to the kernel in which holes were found
    __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_move_mount, __NR_open_tree, __NR_fsopen,
    __NR_fsconfig, __NR_fsmount, __NR_fspick, __NR_mount_setattr, __NR_swapon, __NR_swapoff, __NR_quotactl,
    __NR_quotactl_fd, __NR_unshare, __NR_setns, __NR_init_module, __NR_finit_module, __NR_delete_module,
    __NR_kexec_load, __NR_kexec_file_load, __NR_reboot, __NR_add_key, __NR_request_key, __NR_keyctl, __NR_bpf,
    __NR_perf_event_open, __NR_userfaultfd, __NR_io_uring_setup, __NR_io_uring_enter, __NR_io_uring_register,
    __NR_name_to_handle_at, __NR_open_by_handle_at, __NR_fanotify_init, __NR_fanotify_mark,
    __NR_lookup_dcookie, __NR_syslog, __NR_acct, __NR_iopl, __NR_ioperm, __NR_modify_ldt, __NR_sethostname,
    __NR_setdomainname, __NR_settimeofday, __NR_clock_settime, __NR_adjtimex, __NR_clock_adjtime,
    __NR_vhangup, __NR_personality,
    // programs that are in no file
    __NR_memfd_secret, __NR_execveat};
/// As if the kernel did not know them: their arguments are in memory, which the filter cannot see, and callers fall back on the older call.
constexpr long kUnknown[] = {__NR_clone3, __NR_openat2};

constexpr std::uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

class Filter {
 public:
  void add(std::uint16_t code, std::uint32_t value, std::uint8_t skip_if = 0, std::uint8_t skip_else = 0) {
    code_.push_back({code, skip_if, skip_else, value});
  }
  void load(std::size_t place) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(place)); }
  /// The low half of an argument: all that a call of 32 bits sees.
  void load_argument(std::size_t index) { load(offsetof(seccomp_data, args) + 8 * index); }
  void load_call() { load(offsetof(seccomp_data, nr)); }
  void end(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
  void fail(int error) { end(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  /// What follows up to the next `steps` instructions is for this call only.
  void if_call(long call, std::uint8_t steps) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, steps);
  }
  void fail_if_call(long call, int error) {
    if_call(call, 1);
    fail(error);
  }
  /// A call that fails if (argument & mask) is one of `values`, and otherwise goes on.
  void fail_if(long call, std::size_t argument, std::uint32_t mask,
               std::initializer_list<std::uint32_t> values) {
    const std::size_t steps = 4 + 2 * values.size();
    if_call(call, static_cast<std::uint8_t>(steps - 1));
    load_argument(argument);
    add(BPF_ALU | BPF_AND | BPF_K, mask);
    for (const std::uint32_t value : values) fail_if_call(value, EPERM);
    end(SECCOMP_RET_ALLOW);
  }
  /// A call that fails unless (argument & mask) is `value`.
  void fail_unless(long call, std::size_t argument, std::uint32_t mask, std::uint32_t value) {
    if_call(call, 5);
    load_argument(argument);
    add(BPF_ALU | BPF_AND | BPF_K, mask);
    if_call(value, 1);
    end(SECCOMP_RET_ALLOW);
    fail(EPERM);
  }
  /// 0, or the kernel's error.
  int install() {
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
  }

 private:
  std::vector<sock_filter> code_;
};

/// Pairs of connected sockets, which take no address: of streams.
void allow_pairs(Filter& filter) {
  constexpr std::uint32_t kType = 0xf;  // without SOCK_CLOEXEC and SOCK_NONBLOCK
  filter.if_call(__NR_socketpair, 9);
  filter.load_argument(0);
  filter.if_call(AF_UNIX, 6);
  filter.load_argument(1);
  filter.add(BPF_ALU | BPF_AND | BPF_K, kType);
  filter.if_call(SOCK_STREAM, 1);
  filter.end(SECCOMP_RET_ALLOW);
  filter.if_call(SOCK_SEQPACKET, 1);
  filter.end(SECCOMP_RET_ALLOW);
  filter.fail(EPERM);
}

}  // namespace

bool can_filter_calls() {
  const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return ::syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void give_up_calls() {
  if (!can_filter_calls())
    throw Refused(
        "seccomp is needed to keep calls of the kernel from COMMAND, expected Linux 4.14 or later with it");
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  filter.end(SECCOMP_RET_KILL_PROCESS);
  filter.load_call();
  filter.add(BPF_JMP | BPF_JGE | BPF_K, kOfX32, 0, 1);
  filter.end(SECCOMP_RET_KILL_PROCESS);
  filter.add(BPF_JMP | BPF_JGT | BPF_K, kLastKnown, 0, 1);
  filter.fail(ENOSYS);
  for (const long call : kUnknown) filter.fail_if_call(call, ENOSYS);
  for (const long call : kRefused) filter.fail_if_call(call, EPERM);
  filter.fail_if(__NR_open, 1, O_TRUNC | O_ACCMODE, {O_TRUNC | O_RDONLY, O_TRUNC | O_ACCMODE});
  filter.fail_if(__NR_openat, 2, O_TRUNC | O_ACCMODE, {O_TRUNC | O_RDONLY, O_TRUNC | O_ACCMODE});
  filter.fail_if(__NR_ioctl, 1, ~0U, {TIOCSTI, TIOCLINUX, TIOCCONS});
  filter.fail_unless(__NR_clone, 0, kNewNamespaces, 0);
  filter.fail_unless(__NR_prlimit64, 0, ~0U, 0);
  allow_pairs(filter);
  filter.end(SECCOMP_RET_ALLOW);
  if (const int error = filter.install(); error != 0)
    throw Refused(fmt::format("seccomp: {}, expected it to take a filter", std::strerror(error)));
}

#else

bool can_filter_calls() {
  return false;
}
void give_up_calls() {
  throw Refused("the calls of this processor are not known, expected x86-64");
}

#endif

}  // namespace warpscope
