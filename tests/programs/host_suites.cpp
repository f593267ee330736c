// The kinds of program that public benchmark suites are made of (Rodinia, Parboil, SHOC, Hetero-Mark,
// PolyBench), in small: test_suites.py compares what they print traced and untraced, and what was recorded
// with hand arithmetic.
#include <map>

#include "tests/programs/host.h"

namespace {

template <class T>
T device_value(cl_device_id device, cl_device_info name) {
  T value{};
  check(clGetDeviceInfo(device, name, sizeof(value), &value, nullptr), "clGetDeviceInfo");
  return value;
}

std::size_t kernel_value(const Host& host, cl_kernel kernel, cl_kernel_work_group_info name) {
  std::size_t value = 0;
  check(clGetKernelWorkGroupInfo(kernel, host.device, name, sizeof(value), &value, nullptr),
        "clGetKernelWorkGroupInfo");
  return value;
}

void run_and_release(const Host& host, cl_kernel kernel, std::size_t global, std::size_t local) {
  clReleaseEvent(launch(host.queue, kernel, global, local));
}

cl_mem filled(const Host& host, std::vector<int> content) {
  cl_int status = CL_SUCCESS;
  const cl_mem buffer = clCreateBuffer(host.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       content.size() * sizeof(int), content.data(), &status);
  check(status, "clCreateBuffer");
  return buffer;
}

}  // namespace

// Work-groups and local memory as large as the device says; another kernel with its own size in between.
void asked_sizes() {
  const Host host;
  const char* source =
      "kernel void turn(global int* a, local int* t) { size_t l = get_local_id(0), n = get_local_size(0);\n"
      "  t[l] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[n - 1 - l]; }\n"
      "kernel void plain(global int* a) { a[get_global_id(0)] += 1; }\n";
  const cl_kernel turn = host.kernel(source, "turn");
  const cl_kernel plain = host.kernel(source, "plain");
  const cl_mem buffer = host.ints(8192, 3);
  const std::size_t local = kernel_value(host, turn, CL_KERNEL_WORK_GROUP_SIZE);
  set(turn, 0, buffer);
  set(plain, 0, buffer);
  const auto bytes = device_value<cl_ulong>(host.device, CL_DEVICE_LOCAL_MEM_SIZE);
  check(clSetKernelArg(turn, 1, bytes, nullptr), "local memory");
  run_and_release(host, turn, 8192, local);
  run_and_release(host, plain, 8192, 64);
  run_and_release(host, turn, 8192, local);
  show("turned", host.read(buffer, 8192));
}

// The local size left open: kernels may ask for it, so it has to be the same.
void null_local() {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "sizes");
  const std::size_t all[][3] = {{64, 1, 1}, {100, 1, 1},  {4096, 1, 1}, {16, 16, 1}, {17, 5, 1},
                                {8, 8, 8},  {1000, 3, 1}, {13, 1, 1},   {31, 31, 3}};
  for (const auto& global : all) {
    const std::size_t count = global[0] * global[1] * global[2];
    const cl_mem buffer = host.ints(count, 0);
    set(kernel, 0, buffer);
    check(clEnqueueNDRangeKernel(host.queue, kernel, 3, nullptr, global, nullptr, 0, nullptr, nullptr),
          "launch");
    show("sizes", host.read(buffer, count));
    clReleaseMemObject(buffer);
  }
}

void asked_limits() {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  std::size_t items[3] = {};
  check(clGetDeviceInfo(host.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(items), items, nullptr), "sizes");
  std::printf("group %zu, items %zu %zu %zu, kernel %zu by %zu\n",
              device_value<std::size_t>(host.device, CL_DEVICE_MAX_WORK_GROUP_SIZE), items[0], items[1],
              items[2], kernel_value(host, kernel, CL_KERNEL_WORK_GROUP_SIZE),
              kernel_value(host, kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE));
  std::printf("local %llu of type %u, constant %llu, int vectors %u, units %u\n",
              static_cast<unsigned long long>(device_value<cl_ulong>(host.device, CL_DEVICE_LOCAL_MEM_SIZE)),
              device_value<cl_uint>(host.device, CL_DEVICE_LOCAL_MEM_TYPE),
              static_cast<unsigned long long>(
                  device_value<cl_ulong>(host.device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)),
              device_value<cl_uint>(host.device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT),
              device_value<cl_uint>(host.device, CL_DEVICE_MAX_COMPUTE_UNITS));
}

// Does not ask: groups that no GPU has.
void unasked_sizes() {
  const Host host;
  const cl_kernel add = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(4096, 1);
  set(add, 0, buffer);
  set(add, 1, 2);
  for (const std::size_t local : {4096u, 64u, 2048u, 2048u}) run_and_release(host, add, 4096, local);
  show("added", host.read(buffer, 4096));
}

// Breadth-first search (Rodinia, Parboil, SHOC): a launch per level until a flag, read back each time, stays
// 0.
void levels() {
  const Host host;
  const char* source =
      "kernel void visit(global const int* first, global const int* edges, global int* level, global int* "
      "more, int depth) {\n"
      "  int i = get_global_id(0);\n"
      "  if (level[i] != depth) return;\n"
      "  int end = first[i + 1];\n"
      "  for (int e = first[i]; e < end; ++e) {\n"
      "    int to = edges[e];\n"
      "    if (level[to] < 0) { level[to] = depth + 1; *more = 1; }\n"
      "  }\n}\n";
  constexpr int kNodes = 64;  // a path: node i leads to i + 1
  std::vector<int> first, edges, level(kNodes, -1);
  for (int i = 0; i <= kNodes; ++i) first.push_back(std::min(i, kNodes - 1));
  for (int i = 1; i < kNodes; ++i) edges.push_back(i);
  level[0] = 0;
  const cl_kernel visit = host.kernel(source, "visit");
  const cl_mem depths = filled(host, level);
  const cl_mem flag = host.ints(1, 0);
  set(visit, 0, filled(host, first));
  set(visit, 1, filled(host, edges));
  set(visit, 2, depths);
  set(visit, 3, flag);
  int depth = 0;
  for (int more = 1; more != 0; ++depth) {
    more = 0;
    check(clEnqueueWriteBuffer(host.queue, flag, CL_TRUE, 0, sizeof(int), &more, 0, nullptr, nullptr),
          "write");
    set(visit, 4, depth);
    run_and_release(host, visit, kNodes, 16);
    more = host.read(flag, 1)[0];
  }
  std::printf("%d levels\n", depth);
  show("level", host.read(depths, kNodes));
}

// Stencil with two buffers that change places (hotspot, Jacobi), a helper function, and copies between
// launches.
void ping_pong_buffers() {
  const Host host;
  const char* source =
      "inline int at(global const int* a, int i, int n) { return a[clamp(i, 0, n - 1)]; }\n"
      "kernel void advance(global const int* in, global int* out, int n) {\n"
      "  int i = get_global_id(0); out[i] = (at(in, i - 1, n) + at(in, i + 1, n)) / 2 + 1; }\n";
  constexpr int kCells = 256;
  const cl_kernel step = host.kernel(source, "advance");
  cl_mem in = host.ints(kCells, 100), out = host.ints(kCells, 0);
  const cl_mem history = host.ints(kCells, 0);
  set(step, 2, kCells);
  for (int i = 0; i < 12; ++i) {
    set(step, 0, in);
    set(step, 1, out);
    run_and_release(host, step, kCells, 64);
    check(clEnqueueCopyBuffer(host.queue, out, history, 0, static_cast<std::size_t>(i) * 4, 4, 0, nullptr,
                              nullptr),
          "copy");
    std::swap(in, out);
  }
  show("cells", host.read(in, kCells));
  show("history", host.read(history, 12));
}

// Sum by halving in local memory: a barrier in an unrolled loop, until one value is left.
void reduction() {
  const Host host;
  const char* source =
      "kernel void halve(global const int* in, global int* out) { local int t[64]; int l = get_local_id(0);\n"
      "  t[l] = in[get_global_id(0)];\n"
      "  #pragma unroll\n"
      "  for (int s = 32; s > 0; s >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < s) t[l] += t[l + s]; }\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  if (l == 0) out[get_group_id(0)] = t[0]; }\n";
  const cl_kernel halve = host.kernel(source, "halve");
  cl_mem in = host.ints(4096, 7), out = host.ints(4096, 0);
  for (std::size_t items = 4096; items > 1; items /= 64) {
    set(halve, 0, in);
    set(halve, 1, out);
    run_and_release(host, halve, items, 64);
    std::swap(in, out);
  }
  show("sum", host.read(in, 1));
}

// Diagonals of a dynamic program (Needleman-Wunsch): every launch has another size.
void diagonals() {
  const Host host;
  const char* source =
      "kernel void diagonal(global int* m, int width, int d, int low) {\n"
      "  int x = low + get_global_id(0), y = d - x;\n"
      "  int best = max(m[(y - 1) * width + x], m[y * width + x - 1]);\n"
      "  m[y * width + x] = max(best, m[(y - 1) * width + x - 1] + 2) - 1; }\n";
  constexpr int kWidth = 33;  // row and column 0 are given
  const cl_kernel diagonal = host.kernel(source, "diagonal");
  const cl_mem matrix = host.ints(kWidth * kWidth, 1);
  set(diagonal, 0, matrix);
  set(diagonal, 1, kWidth);
  for (int d = 2; d <= 2 * (kWidth - 1); ++d) {
    const int low = std::max(1, d - (kWidth - 1)), high = std::min(kWidth - 1, d - 1);
    set(diagonal, 2, d);
    set(diagonal, 3, low);
    run_and_release(host, diagonal, static_cast<std::size_t>(high - low + 1), 0);  // local size left open
  }
  show("matrix", host.read(matrix, kWidth * kWidth));
}

// Sparse rows of unequal length (SpMV), coefficients in constant memory (FIR), a histogram with atomics;
// buffers are written and read through maps.
void mapped() {
  const Host host;
  const char* source =
      "kernel void rows(global const int* first, global const int* column, global const int* x, global int* "
      "y) {\n"
      "  int i = get_global_id(0), sum = 0, end = first[i + 1];\n"
      "  for (int e = first[i]; e < end; ++e) sum += x[column[e]];\n"
      "  y[i] = sum; }\n"
      "kernel void taps(constant int* c, global const int* x, global int* y, int n) {\n"
      "  int i = get_global_id(0), sum = 0; for (int k = 0; k < n; ++k) sum += c[k] * x[i + k]; y[i] = sum; "
      "}\n"
      "kernel void count(global const int* x, global int* bins) { local int t[8]; int l = get_local_id(0);\n"
      "  if (l < 8) t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  atomic_add(&t[x[get_global_id(0)] & 7], 1); barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  if (l < 8) atomic_add(&bins[l], t[l]); }\n";
  constexpr int kRows = 256;
  std::vector<int> first = {0}, column;
  for (int i = 0; i < kRows; ++i) {
    for (int e = 0; e < i % 4; ++e) column.push_back((i * 7 + e) % kRows);
    first.push_back(static_cast<int>(column.size()));
  }
  const cl_kernel rows = host.kernel(source, "rows"), taps = host.kernel(source, "taps"),
                  count = host.kernel(source, "count");
  cl_int status = CL_SUCCESS;
  const cl_mem x = clCreateBuffer(host.context, CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR,
                                  (kRows + 16) * sizeof(int), nullptr, &status);
  check(status, "clCreateBuffer");
  auto* to = static_cast<int*>(clEnqueueMapBuffer(host.queue, x, CL_TRUE, CL_MAP_WRITE, 0,
                                                  (kRows + 16) * sizeof(int), 0, nullptr, nullptr, &status));
  check(status, "map");
  for (int i = 0; i < kRows + 16; ++i) to[i] = i * 5;
  check(clEnqueueUnmapMemObject(host.queue, x, to, 0, nullptr, nullptr), "unmap");
  alignas(4096) static int kept[kRows] = {};
  const cl_mem y =
      clCreateBuffer(host.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof(kept), kept, &status);
  check(status, "clCreateBuffer");
  const auto read_mapped = [&](const char* what) {
    void* const from = clEnqueueMapBuffer(host.queue, y, CL_TRUE, CL_MAP_READ, 0, sizeof(kept), 0, nullptr,
                                          nullptr, &status);
    check(status, "map");
    show(what, {static_cast<int*>(from), static_cast<int*>(from) + kRows});
    check(clEnqueueUnmapMemObject(host.queue, y, from, 0, nullptr, nullptr), "unmap");
  };
  set(rows, 0, filled(host, first));
  set(rows, 1, filled(host, column));
  set(rows, 2, x);
  set(rows, 3, y);
  run_and_release(host, rows, kRows, 64);
  read_mapped("rows");
  set(taps, 0, filled(host, std::vector<int>(16, 3)));
  set(taps, 1, x);
  set(taps, 2, y);
  set(taps, 3, 16);
  run_and_release(host, taps, kRows, 64);
  read_mapped("taps");
  const cl_mem bins = host.ints(8, 0);
  set(count, 0, x);
  set(count, 1, bins);
  run_and_release(host, count, kRows, 64);
  show("bins", host.read(bins, 8));
}

// Two programs in two contexts with a kernel of the same name, used in turn; results go from one to the other
// over the host.
void two_programs() {
  const Host hosts[2];
  const cl_kernel kernels[] = {
      hosts[0].kernel("kernel void advance(global int* a) { a[get_global_id(0)] += 3; }\n", "advance"),
      hosts[1].kernel(
          "kernel void advance(global int* a) { int i = get_global_id(0); a[i] = a[i] * 2 + i; }\n",
          "advance")};
  const cl_mem buffers[] = {hosts[0].ints(64, 1), hosts[1].ints(64, 0)};
  std::vector<int> values(64, 1);
  for (int i = 0; i < 6; ++i) {
    const Host& host = hosts[i % 2];
    set(kernels[i % 2], 0, buffers[i % 2]);
    check(
        clEnqueueWriteBuffer(host.queue, buffers[i % 2], CL_TRUE, 0, 256, values.data(), 0, nullptr, nullptr),
        "write");
    run_and_release(host, kernels[i % 2], 64, 32);
    values = host.read(buffers[i % 2], 64);
  }
  show("in turn", values);
}
