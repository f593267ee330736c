// Host programs for what a capture must survive: many launches, large ones, and every way to end.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/programs/host.h"

// Daemons close what they have inherited, whoever opened it.
void close_files(int last) {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(64, 0);
  set(kernel, 0, buffer);
  set(kernel, 1, 1);
  for (int round = 0; round < 3; ++round) {
    clReleaseEvent(launch(host.queue, kernel, 64, 64));
    clFinish(host.queue);
    if (round > 0) continue;
    for (int file = 3; file <= last; ++file) ::close(file);
  }
  show("after", host.read(buffer, 64));
}

// `count` launches of a small kernel, and how long they take.
void many(int count) {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(64, 0);
  set(kernel, 0, buffer);
  set(kernel, 1, 1);
  clReleaseEvent(launch(host.queue, kernel, 64, 64));
  clFinish(host.queue);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 1; i < count; ++i) {
    clReleaseEvent(launch(host.queue, kernel, 64, 64));
    if (i % 2000 == 0) clFinish(host.queue);
  }
  show("many", host.read(buffer, 64));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::fprintf(stderr, "%.1f microseconds per launch\n", 1e6 * seconds / count);
}

// One launch of 10^8 accesses by 2^20 work-items; says how much memory the process took at most.
void large(std::size_t items, bool is_loop) {
  const Host host;
  const char* source =
      "kernel void gather(global const int* in, global int* out, int n) {\n"
      "  int sum = 0; size_t id = get_global_id(0);\n"
      "  for (int i = 0; i < COUNT; ++i) sum += in[(id + i * 4099) & 1048575];\n"
      "  out[id] = sum; }\n";
  cl_int status = CL_SUCCESS;
  const cl_program program = host.program(source, is_loop ? "-DCOUNT=n" : "-DCOUNT=95");
  const cl_kernel kernel = clCreateKernel(program, "gather", &status);
  const cl_mem in = host.ints(std::size_t{1} << 20, 3);
  const cl_mem out = host.ints(items, 0);
  set(kernel, 0, in);
  set(kernel, 1, out);
  set(kernel, 2, 95);
  clReleaseEvent(launch(host.queue, kernel, items, 256));
  clFinish(host.queue);
  show("large", host.read(out, items));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::fprintf(stderr, "most memory: %ld MiB\n", usage.ru_maxrss / 1024);
}

namespace {

/// Processor time of this process so far, in milliseconds.
double processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

/// Says how much processor time `count` launches take, after one more.
template <class Launch>
void time_launches(int count, const Launch& launch_once) {
  launch_once();
  const double before = processor_time();
  for (int i = 0; i < count; ++i) launch_once();
  std::fprintf(stderr, "%.2f ms of processor time per launch\n", (processor_time() - before) / count);
}

}  // namespace

// `count` launches of 4,194,304 work-items with three accesses each, and the processor time that they take.
void stream(int count) {
  constexpr std::size_t kItems = std::size_t{1} << 22;
  const Host host;
  const cl_kernel kernel = host.kernel(
      "kernel void axpy(global const float* x, global float* y, float a) {\n"
      "  y[get_global_id(0)] += a * x[get_global_id(0)]; }\n",
      "axpy");
  const cl_mem x = host.ints(kItems, 0);
  const cl_mem y = host.ints(kItems, 0);
  set(kernel, 0, x);
  set(kernel, 1, y);
  set(kernel, 2, 2.0F);
  time_launches(count, [&] {
    clReleaseEvent(launch(host.queue, kernel, kItems, 256));
    clFinish(host.queue);
  });
}

namespace {

// The same of a 5-point stencil on 1024 x 1024 cells, whose border stays as it is.
void stencil_in_groups(int count, std::size_t local_x, std::size_t local_y) {
  constexpr int kWidth = 1024;
  const Host host;
  const cl_kernel kernel = host.kernel(
      "kernel void step5(global const float* in, global float* out, int w, int h) {\n"
      "  int x = get_global_id(0), y = get_global_id(1);\n"
      "  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)\n"
      "    out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] +\n"
      "                             in[(y - 1) * w + x] + in[(y + 1) * w + x]);\n"
      "}\n",
      "step5");
  set(kernel, 0, host.ints(kWidth * kWidth, 0));
  set(kernel, 1, host.ints(kWidth * kWidth, 0));
  set(kernel, 2, kWidth);
  set(kernel, 3, kWidth);
  const std::size_t global[] = {kWidth, kWidth};
  const std::size_t local[] = {local_x, local_y};
  time_launches(count, [&] {
    check(clEnqueueNDRangeKernel(host.queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    clFinish(host.queue);
  });
}

}  // namespace

void stencil(int count) {
  stencil_in_groups(count, 16, 16);
}

void stencil_rows(int count) {
  stencil_in_groups(count, 256, 1);
}

// 20 launches, then the end in one of several ways; the last launches have not run by then.
void end(const std::string& how) {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(64, 0);
  set(kernel, 0, buffer);
  set(kernel, 1, 1);
  for (int i = 0; i < 20; ++i) clReleaseEvent(launch(host.queue, kernel, 64, 16));
  show("end", host.read(buffer, 64));
  std::fflush(stdout);
  if (how == "abort") std::abort();
  if (how == "kill") raise(SIGKILL);
  if (how == "interrupt") raise(SIGINT);
  if (how == "_exit") _exit(7);
  if (how == "exit") std::exit(5);
  if (how == "crash") *static_cast<volatile int*>(nullptr) = 1;
}

// Killed in the middle of a launch of many work-groups: when 64 of 1,024 have ended, however long that takes.
void middle() {
  const Host host;
  const char* source =
      "kernel void slow(global int* a, global int* done) {\n"
      "  int x = a[get_global_id(0)]; for (int i = 0; i < 20000; ++i) x = x * 3 + a[(x & 1023)];\n"
      "  a[get_global_id(0)] = x; atomic_inc(done); }\n";
  const cl_kernel kernel = host.kernel(source, "slow");
  const cl_mem buffer = host.ints(1 << 16, 1);
  alignas(64) static volatile cl_int ended = 0;
  cl_int status = CL_SUCCESS;
  const cl_mem done = clCreateBuffer(host.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof(ended),
                                     const_cast<cl_int*>(&ended), &status);
  check(status, "clCreateBuffer");
  set(kernel, 0, buffer);
  set(kernel, 1, done);
  launch(host.queue, kernel, 1 << 16, 64);
  clFlush(host.queue);
  while (ended < 64 * 64) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  raise(SIGKILL);
}

// A child that was forked in the middle runs on without OpenCL; one that becomes this program again is
// traced.
void forked(const char* self) {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(64, 0);
  set(kernel, 0, buffer);
  set(kernel, 1, 1);
  clReleaseEvent(launch(host.queue, kernel, 64, 16));
  clFinish(host.queue);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(9);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: %d\n", WEXITSTATUS(status));
  std::fflush(stdout);
  const pid_t second = fork();
  if (second == 0) {
    execl(self, self, "one_launch", nullptr);
    _exit(1);
  }
  waitpid(second, &status, 0);
  std::printf("second child: %d\n", WEXITSTATUS(status));
  clReleaseEvent(launch(host.queue, kernel, 64, 16));
  show("parent", host.read(buffer, 64));
}
