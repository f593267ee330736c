// Host programs whose kernels fault or take more memory than there is: `programs_faults WHAT [HANDLER]`. The
// handlers are those that real programs have.
#include <setjmp.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/programs/host.h"

namespace {

constexpr const char* kNull =
    "kernel void fill(global int* a, int n) { a[get_global_id(0)] = n; }\n"
    "kernel void null_store(global int* a, global int* p) {\n"
    "  a[get_global_id(0)] = 1;\n"
    "  if (get_group_id(0) == 2) p[get_local_id(0)] = 2;\n"
    "}\n"
    "kernel void trap(global int* a, global int* p) { a[0] = 1; if (a[0] == 1) __builtin_trap(); p[0] = 2; "
    "}\n"
    "kernel void stack(global int* a, global int* p) {\n"
    // 512 KiB, as much as a work-item may have; those of a work-group keep theirs at the barrier.
    "  int t[131072]; int n = a[0];\n"
    "  for (int i = 0; i < n; ++i) t[(i * 7919 + a[i & 7]) & 131071] = i;\n"
    "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "  a[0] = t[n & 131071];\n"
    "}\n"
    // Work-groups that wait for each other, as long as it makes sense, and fault together.
    "kernel void together(volatile global int* a, global int* p) {\n"
    "  if (get_local_id(0) == 0) atomic_inc(a);\n"
    "  for (int i = 0; get_local_id(0) == 0 && i < 100000 && atomic_add(a, 0) < 5 + 3; ++i) {}\n"
    "  *p = a[1];\n"
    "}\n";

constexpr const char* kIrregular =
    "kernel void irregular(global int* a, int n) {\n"
    "  uint x = get_global_id(0) + 1; int sum = 0; int count = get_group_id(0) == 1 ? n : 1;\n"
    "  for (int i = 0; i < count; ++i) { x = x * 1664525u + 1013904223u; sum += a[(x >> 10) & 1023]; }\n"
    "  a[1024 + get_global_id(0)] = sum;\n"
    "}\n";

void say(const char* text) {
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, text, std::strlen(text));
}

void leave(int) {
  say("the program's handler\n");
  _exit(42);
}

void leave_with_info(int signal, siginfo_t* info, void*) {
  say(signal == SIGSEGV && info->si_addr == nullptr ? "address 0\n" : "another address\n");
  _exit(43);
}

struct sigaction before {};

void hand_back(int signal, siginfo_t* info, void* context) {
  say("handed back\n");
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(signal, info, context);
  else if (before.sa_handler == SIG_DFL)
    std::signal(signal, SIG_DFL);
}

sigjmp_buf probe_failed;

void jump(int) {
  siglongjmp(probe_failed, 1);
}

int nested = 0;

/// A handler that faults itself.
void nest(int) {
  const volatile int* const nothing = nullptr;
  if (++nested % 2 == 1) nested += *nothing;
  siglongjmp(probe_failed, 1);
}

void install(const std::string& handler) {
  struct sigaction action {};
  if (handler == "leave") action.sa_handler = leave;
  if (handler == "jump") action.sa_handler = jump;
  if (handler == "nest") action.sa_flags = SA_NODEFER;
  if (handler == "nest") action.sa_handler = nest;
  if (handler == "info" || handler == "back") action.sa_flags = SA_SIGINFO;
  if (handler == "info") action.sa_sigaction = leave_with_info;
  if (handler == "back") action.sa_sigaction = hand_back;
  if (handler == "ignore") action.sa_handler = SIG_IGN;
  sigaction(SIGSEGV, &action, &before);
}

/// A program that asks whether memory can be read, in its own thread, while kernels run.
bool is_readable(const volatile int* address) {
  if (sigsetjmp(probe_failed, 1) != 0) return false;
  return *address == *address;
}

void probe(int times) {
  int readable = 0;
  for (int i = 0; i < times; ++i) readable += is_readable(nullptr) ? 1 : 0;
  std::printf("readable: %d of %d\n", readable, times);
}

void fault(const std::string& kernel_name, const std::string& when, const std::string& handler) {
  if (when == "before") install(handler);
  const Host host;
  const cl_program program = host.program(kNull);
  cl_int status = CL_SUCCESS;
  const cl_kernel fill = clCreateKernel(program, "fill", &status);
  const cl_kernel faulty = clCreateKernel(program, kernel_name.c_str(), &status);
  const cl_mem buffer = host.ints(64, 1);
  set(fill, 0, buffer);
  set(fill, 1, 5);
  clReleaseEvent(launch(host.queue, fill, 64, 16));
  show("fill", host.read(buffer, 64));
  std::fflush(stdout);
  if (when == "after") install(handler);
  set(faulty, 0, buffer);
  set(faulty, 1, static_cast<cl_mem>(nullptr));
  clReleaseEvent(launch(host.queue, faulty, 64, kernel_name == "stack" ? 64 : 16));
  clFinish(host.queue);
  std::printf("not reached\n");
}

/// Launch 1 of 3 has a work-group with `count` irregular accesses per work-item.
void irregular(int count) {
  const Host host;
  const cl_kernel kernel = host.kernel(kIrregular, "irregular");
  const cl_mem buffer = host.ints(1024 + 64, 1);
  set(kernel, 0, buffer);
  for (const int n : {1, count, 1}) {
    set(kernel, 1, n);
    clReleaseEvent(launch(host.queue, kernel, 64, 16));
  }
  show("irregular", host.read(buffer, 1024 + 64));
}

/// Faults of the program's own, while and after its kernels run.
void own_faults(const std::string& handler) {
  install(handler);
  probe(3);
  irregular(20000);
  probe(3);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "irregular" && argc > 2)
    irregular(std::atoi(argv[2]));
  else if (what == "own_faults")
    own_faults(argc > 2 ? argv[2] : "jump");
  else
    fault(what, argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
  return 0;
}
