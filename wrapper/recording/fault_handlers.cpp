#include "wrapper/recording/fault_handlers.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

#include "wrapper/device/next_handler.h"
#include "wrapper/device/stack_memory.h"
#include "wrapper/device/trap_note.h"
#include "wrapper/recording/runtime.h"

namespace warpscope {
namespace {

// A program's handler runs there, too, if it did not ask for a stack of its own.
constexpr std::size_t kStackBytes = std::size_t{1} << 18;
constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT};

std::atomic<FaultSink> active_sink = nullptr;
std::array<struct sigaction, kSignals.size()> replaced_actions{};

// Initial-exec: a handler must not allocate.
constinit thread_local bool t_has_our_stack __attribute__((tls_model("initial-exec"))) = false;
// Where this thread's stack began to be used when it got our stack; 0 = it has not got it.
constinit thread_local std::uint64_t t_stack_begin __attribute__((tls_model("initial-exec"))) = 0;
// Of threads that are made without asking for another size; 0 = not known yet.
std::atomic<std::uint64_t> usual_stack_bytes = 0;

// The kernel copies the mask before it looks at `how`: it says whether memory can be read.
bool is_readable(std::uint64_t address) {
  const auto mask = address & ~std::uint64_t{7};
  return ::syscall(SYS_rt_sigprocmask, ~0, mask, nullptr, 8) != 0 && errno != EFAULT;
}

std::uint64_t stack_pointer(const void* context) {
  const auto* const user = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(user->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return user->uc_mcontext.sp;
#else
  return 0;
#endif
}

/// The stack ends where the thread wanted to use it; what it wanted is in the frame that has no room. Such a
/// frame may reach over the end into memory of somebody else, which can be read: then it is too far from where
/// the thread's stack began, unless the kernel's threads have stacks of their own.
bool has_overflowed(const siginfo_t& info, const void* context, bool own_stacks) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kLargestFrame = std::uint64_t{1} << 30;
  const std::uint64_t stack = stack_pointer(context);
  const auto address = reinterpret_cast<std::uint64_t>(info.si_addr);
  if (stack == 0 || address + kPage < stack || address >= stack + kLargestFrame) return false;
  if (!is_readable(stack - 128)) return true;
  return !own_stacks && stack < t_stack_begin && t_stack_begin - stack > usual_stack_bytes.load() &&
         address < t_stack_begin;
}

/// The access during which, or after which, the thread faulted.
std::optional<RecordedAccess> access_of(const Recorder::Thread& thread, const KernelFault& fault) {
  if (!thread.selected) return {};
  if (thread.is_predicted) return fault.has_address ? thread.find(fault.address) : std::nullopt;
  const Recording& recording = thread.recording;
  if (recording.last_slot() == Recording::kNoSlot) return {};
  const std::uint32_t site = recording.last_slot() % recording.sites();
  const std::uint32_t item = recording.last_slot() / recording.sites();
  return RecordedAccess{site, item, recording.slot(item, site).last};
}

void add_place(const Recorder::Thread& thread, KernelFault& fault) {
  fault.has_group = true;
  fault.is_predicted = thread.is_predicted;
  fault.launch = thread.recorder.launch();
  fault.group = thread.group;
  const auto access = access_of(thread, fault);
  if (!access) return;
  fault.has_site = true;
  fault.site = SiteId(access->site);
  fault.item = WorkItemId(access->item);
  fault.access = access->address;
  const SiteInfo& site = thread.recorder.kernel().sites[fault.site.value()];
  const PlacedObject object = thread.objects.place_of(site.object, fault.item.value());
  fault.object = object.base;
  fault.object_size = object.size;
}

/// Adds what the kernel reported about its trap; false if it did not trap.
bool add_trap(const Recorder::Thread& thread, KernelFault& fault) {
  const device::TrapNote& note = device::trap_note();
  if (fault.signal != SIGILL || note.place == nullptr) return false;
  fault.has_group = true;
  fault.launch = thread.recorder.launch();
  fault.group = thread.group;
  const Dim3& local = thread.recorder.local();
  fault.item = WorkItemId(
      static_cast<std::uint32_t>(note.thread[0] + local.x * (note.thread[1] + local.y * note.thread[2])));
  for (std::size_t i = 0; i + 1 < fault.trap_place.size() && note.place[i] != 0; ++i)
    fault.trap_place[i] = note.place[i];
  return true;
}

void look_at(int signal, const siginfo_t& info, const void* context, FaultSink sink) {
  KernelFault fault;
  fault.signal = signal;
  fault.has_address = info.si_code > 0 && (signal == SIGSEGV || signal == SIGBUS);
  const Recorder::Thread* const thread = running_thread();
  if (fault.has_address) {
    fault.address = reinterpret_cast<std::uint64_t>(info.si_addr);
    fault.is_stack_overflow = has_overflowed(
        info, context,
        device::has_own_stacks() || (thread != nullptr && thread->recorder.kernel().independent_threads));
  }
  // A thread that overflows its stack at the very beginning of a kernel is not known to us yet.
  if (thread == nullptr && !(fault.is_stack_overflow && t_has_our_stack)) return;
  if (thread != nullptr && !add_trap(*thread, fault)) add_place(*thread, fault);
  sink(fault);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  {
    device::NextHandler next(info);
    const FaultSink sink = active_sink.load(std::memory_order_acquire);
    if (!next.has_come_back() && sink != nullptr) look_at(signal, *info, context, sink);
    std::size_t index = 0;
    while (kSignals[index] != signal) ++index;
    next.call(replaced_actions[index], signal, context);
  }
  errno = error;
}

// --- stacks for handlers ---

struct StackSupply {
  std::uint8_t* next = nullptr;
  std::atomic<std::size_t> left = 0;
  std::atomic<std::size_t> answers = 0;
};
StackSupply supply;

// A handler cannot set its thread's alternate stack: the kernel sets that back at the end, from this place.
void take_stack(int, siginfo_t*, void* context) {
  auto* const user = static_cast<ucontext_t*>(context);
  std::size_t left = supply.left.load();
  while (left != 0 && !supply.left.compare_exchange_weak(left, left - 1)) {
  }
  if (left != 0 && (user->uc_stack.ss_flags & SS_DISABLE) != 0) {
    user->uc_stack = {};
    user->uc_stack.ss_sp = supply.next + (left - 1) * kStackBytes;
    user->uc_stack.ss_size = kStackBytes;
    t_has_our_stack = true;
    t_stack_begin = stack_pointer(context);
  }
  supply.answers.fetch_add(1);
}

/// A real-time signal that nobody uses; 0 = none. Our handler stays: a thread may answer late.
int install_take_stack() {
  for (int signal = SIGRTMAX - 2; signal > SIGRTMIN; --signal) {
    struct sigaction current {};
    if (::sigaction(signal, nullptr, &current) != 0) continue;
    if ((current.sa_flags & SA_SIGINFO) != 0 || current.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = take_stack;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (::sigaction(signal, &action, nullptr) == 0) return signal;
  }
  return 0;
}

std::uint8_t* map_stacks(std::size_t count) {
  void* const memory = ::mmap(nullptr, count * kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
}

}  // namespace

FaultHandlers::FaultHandlers(FaultSink sink) {
  active_sink.store(sink, std::memory_order_release);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t index = 0; index < kSignals.size(); ++index) {
    struct sigaction current {};
    ::sigaction(kSignals[index], nullptr, &current);
    const bool is_ours = (current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_fault;
    if (is_ours) continue;  // the program has put it back after one of its own
    replaced_actions[index] = current;
    ::sigaction(kSignals[index], &action, nullptr);
  }
}

FaultHandlers::~FaultHandlers() {
  active_sink.store(nullptr, std::memory_order_release);
  for (std::size_t index = 0; index < kSignals.size(); ++index) {
    struct sigaction current {};
    ::sigaction(kSignals[index], nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_fault)
      ::sigaction(kSignals[index], &replaced_actions[index], nullptr);
  }
}

void ensure_alternate_stack() noexcept {
  if (t_has_our_stack) return;
  t_has_our_stack = true;
  stack_t current{};
  if (::sigaltstack(nullptr, &current) != 0 || (current.ss_flags & SS_DISABLE) == 0) return;
  stack_t stack{};
  stack.ss_sp = map_stacks(1);
  stack.ss_size = kStackBytes;
  if (stack.ss_sp != nullptr) ::sigaltstack(&stack, nullptr);
}

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  DIR* const folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  while (const dirent* const entry = ::readdir(folder))
    if (const long id = std::strtol(entry->d_name, nullptr, 10); id > 0)
      threads.push_back(static_cast<pid_t>(id));
  ::closedir(folder);
  return threads;
}

void give_alternate_stacks(const std::vector<pid_t>& threads) {
  if (threads.empty() || supply.left.load() != 0) return;
  rlimit limit{};
  usual_stack_bytes = ::getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
  static const int signal = install_take_stack();
  supply.next = signal != 0 ? map_stacks(threads.size()) : nullptr;
  if (supply.next == nullptr) return;
  supply.answers.store(0);
  supply.left.store(threads.size());
  std::size_t sent = 0;
  for (const pid_t thread : threads)
    if (::syscall(SYS_tgkill, ::getpid(), thread, signal) == 0) ++sent;
  for (int wait = 0; wait < 200 && supply.answers.load() < sent; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  supply.left.store(0);
}

}  // namespace warpscope
