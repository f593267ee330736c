// Runs instrumented kernels on PoCL with a runtime of its own and compares what they report with the kernel's
// description: every work-item's accesses follow from its branch outcomes alone, lie inside the object that
// is named, and the results equal those of the source compiled by PoCL.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "passes/RuntimeABI.h"
#include "passes/driver/pipeline.h"
#include "passes/driver/subprocess.h"

namespace {

struct Event {
  enum Kind { Access, Branch, Sync } kind;
  std::uint32_t site_or_outcome;
  std::uint64_t address_or_bits;
};

struct Item {
  std::array<std::uint64_t, 3> group{};
  std::vector<Event> events;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> objects;  // (kind, index) -> address
  int ends = 0;
};

// One thread runs all work-items of a group before the next group (PoCL), so the group is per thread.
std::mutex mutex;
std::map<std::pair<std::array<std::uint64_t, 3>, std::uint32_t>, Item> items;
thread_local std::array<std::uint64_t, 3> current_group;

Item& item_of(std::uint32_t item) {
  return items[{current_group, item}];
}

}  // namespace

extern "C" __attribute__((visibility("default"))) WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID;
WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID = {
    [](std::uint32_t item, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
      const std::lock_guard lock(mutex);
      current_group = {x, y, z};
      item_of(item).group = current_group;
    },
    [](std::uint32_t item) {
      const std::lock_guard lock(mutex);
      ++item_of(item).ends;
    },
    [](std::uint64_t address, std::uint32_t site, std::uint32_t item) {
      const std::lock_guard lock(mutex);
      item_of(item).events.push_back({Event::Access, site, address});
    },
    [](std::uint32_t outcome, std::uint32_t bits, std::uint32_t item) {
      const std::lock_guard lock(mutex);
      item_of(item).events.push_back({Event::Branch, outcome, bits});
    },
    [](std::uint32_t site, std::uint32_t item) {
      const std::lock_guard lock(mutex);
      item_of(item).events.push_back({Event::Sync, site, 0});
    },
    [](std::uint32_t kind, std::uint32_t index, std::uint64_t address, std::uint32_t item) {
      const std::lock_guard lock(mutex);
      item_of(item).objects[{kind, index}] = address;
    },
    // Nothing here is recorded in boxes of work-items, nor handed to other threads.
    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// PoCL's CPU device, or nothing.
struct Device {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::vector<std::string> extensions;

  Device() {
    cl_platform_id platform = nullptr;
    if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) != CL_SUCCESS) return;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, device, 0, nullptr);
    std::array<char, 4096> text{};
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, text.size() - 1, text.data(), nullptr);
    std::istringstream words(text.data());
    for (std::string word; words >> word;) extensions.push_back(word);
  }
};

struct Launch {
  std::string kernel;
  std::array<std::size_t, 3> global{1, 1, 1}, local{1, 1, 1};
  std::vector<std::vector<std::int32_t>> buffers;  // first arguments; results replace them
  std::vector<std::int32_t> scalars;               // the others
};

class Runtime : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("WARPSCOPE_PLUGIN",
           (std::string(WARPSCOPE_BIN_DIR) + "/../lib/warpscope/libwarpscope-passes.so").c_str(), 1);
    std::string pattern = (fs::temp_directory_path() / "passes_test_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    setenv("POCL_CACHE_DIR", directory_.c_str(), 1);
    device_ = new Device;
  }
  static void TearDownTestSuite() {
    std::error_code error;
    fs::remove_all(directory_, error);
  }
  void SetUp() override {
    ASSERT_NE(device_->queue, nullptr) << "no OpenCL CPU device: install the Debian package pocl-opencl-icd";
    items.clear();
  }

  static CompiledProgram compile(const std::string& source, Optimize optimize = Optimize::Gpu,
                                 const char* language = "CL1.2") {
    CompileRequest request;
    request.source_path = directory_ + "/kernel.cl";
    request.work_directory = directory_;
    request.extensions = device_->extensions;
    request.options = {std::string("-cl-std=") + language};
    request.optimize = optimize;
    std::ofstream(request.source_path) << source;
    return compile_for_capture(request);
  }

  // Builds and runs; the buffers' contents afterwards.
  static std::vector<std::vector<std::int32_t>> run(const std::string& program_text, bool is_source,
                                                    Launch launch) {
    const char* text = program_text.data();
    const auto* bytes = reinterpret_cast<const unsigned char*>(text);
    const std::size_t size = program_text.size();
    cl_program program = is_source ? clCreateProgramWithSource(device_->context, 1, &text, &size, nullptr)
                                   : clCreateProgramWithBinary(device_->context, 1, &device_->device, &size,
                                                               &bytes, nullptr, nullptr);
    EXPECT_EQ(
        clBuildProgram(program, 1, &device_->device, is_source ? "" : kBitcodeBuildOptions, nullptr, nullptr),
        CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, launch.kernel.c_str(), nullptr);
    cl_uint index = 0;
    std::vector<cl_mem> memory;
    for (auto& buffer : launch.buffers) {
      memory.push_back(clCreateBuffer(device_->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      buffer.size() * 4, buffer.data(), nullptr));
      EXPECT_EQ(clSetKernelArg(kernel, index++, sizeof(cl_mem), &memory.back()), CL_SUCCESS);
    }
    for (const std::int32_t scalar : launch.scalars)
      EXPECT_EQ(clSetKernelArg(kernel, index++, 4, &scalar), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(device_->queue, kernel, 3, nullptr, launch.global.data(),
                                     launch.local.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      EXPECT_EQ(clEnqueueReadBuffer(device_->queue, memory[i], CL_TRUE, 0, launch.buffers[i].size() * 4,
                                    launch.buffers[i].data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      clReleaseMemObject(memory[i]);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return launch.buffers;
  }

  // The walk that every reader of a capture makes.
  static void expect_events_follow_from_branches(const KernelInfo& kernel, const Item& item) {
    std::size_t next = 0;
    std::uint32_t block = 0;
    for (;;) {
      const BlockInfo& info = kernel.blocks.at(block);
      for (const SiteId site : info.sites) {
        ASSERT_LT(next, item.events.size());
        ASSERT_NE(item.events[next].kind, Event::Branch);
        ASSERT_EQ(item.events[next].site_or_outcome, site.value());
        ++next;
      }
      if (info.successors.empty()) break;
      std::uint32_t outcome = 0;
      if (info.successors.size() > 1) {
        ASSERT_LT(next, item.events.size());
        ASSERT_EQ(item.events[next].kind, Event::Branch);
        ASSERT_EQ(item.events[next].address_or_bits, outcome_bits(info.successors.size()));
        outcome = item.events[next++].site_or_outcome;
      }
      block = info.successors.at(outcome).value();
    }
    EXPECT_EQ(next, item.events.size());
    EXPECT_EQ(item.ends, 1);
  }

  static void expect_addresses_inside_objects(const KernelInfo& kernel, const Item& item,
                                              const Launch& launch) {
    for (const Event& event : item.events) {
      if (event.kind != Event::Access) continue;
      const SiteInfo& site = kernel.sites.at(event.site_or_outcome);
      if (site.object.kind == StaticObject::Kind::Unknown) continue;
      const bool argument = site.object.kind == StaticObject::Kind::Argument;
      const std::uint64_t start = item.objects.at({argument ? 0 : 1, site.object.index});
      const std::uint64_t size = argument ? launch.buffers.at(site.object.index).size() * 4
                                          : kernel.objects.at(site.object.index).size;
      EXPECT_GE(event.address_or_bits, start);
      EXPECT_LE(event.address_or_bits + site.width, start + size);
    }
  }

  // Runs source, optimised and instrumented bitcode; equal results, consistent events. Returns accesses per
  // site.
  static std::map<std::uint32_t, std::uint64_t> check(const std::string& source, const Launch& launch,
                                                      Optimize optimize = Optimize::Gpu) {
    const CompiledProgram program = compile(source, optimize);
    const auto expected = run(source, true, launch);
    EXPECT_EQ(run(read_file(program.optimised_path), false, launch), expected);
    EXPECT_EQ(run(read_file(program.instrumented_path), false, launch), expected);
    return check_events(program, launch);
  }

  static std::map<std::uint32_t, std::uint64_t> check_events(const CompiledProgram& program,
                                                             const Launch& launch) {
    const auto kernel = std::find_if(program.kernels.begin(), program.kernels.end(),
                                     [&](const KernelInfo& info) { return info.name == launch.kernel; });
    EXPECT_EQ(items.size(), launch.global[0] * launch.global[1] * launch.global[2]);
    std::map<std::uint32_t, std::uint64_t> counts;
    for (const auto& [key, item] : items) {
      expect_events_follow_from_branches(*kernel, item);
      expect_addresses_inside_objects(*kernel, item, launch);
      for (const Event& event : item.events) {
        if (event.kind != Event::Branch) ++counts[event.site_or_outcome];
      }
    }
    return counts;
  }

  static std::string directory_;
  static Device* device_;
};

std::string Runtime::directory_;
Device* Runtime::device_;

std::vector<std::int32_t> pattern(std::size_t size, std::int32_t modulus) {
  std::vector<std::int32_t> result(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<std::int32_t>(i * 7 + 3) % modulus;
  return result;
}

TEST_F(Runtime, CountsTheMatrixMultiplicationExactly) {
  const auto counts =
      check(R"(
    kernel void mm(global const int* a, global const int* b, global int* c, int n) {
      int x = get_global_id(0), y = get_global_id(1), s = 0;
      for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];
      c[y * n + x] = s;
    })",
            {"mm", {32, 32, 1}, {8, 4, 1}, {pattern(1024, 17), pattern(1024, 13), pattern(1024, 2)}, {32}});
  // n^3 loads of either matrix and n^2 stores.
  EXPECT_THAT(counts, ::testing::ElementsAre(std::pair(0, 32 * 32 * 32), std::pair(1, 32 * 32 * 32),
                                             std::pair(2, 32 * 32)));
}

TEST_F(Runtime, FollowsEveryKindOfControlFlow) {
  const std::string source = R"(
    int helper(global const int* a, int i) { return a[i & 63] > 9 ? a[(i + 1) & 63] : 2; }
    kernel void flow(global const int* a, global int* out, int n) {
      int i = get_global_id(0), v = a[i], r = 0;
      switch (v & 7) {
        case 0: r = 1; break;
        case 3: r = a[i + 1];
        case 4: r += 2; break;
        case 6: if (v > 20) return; r = 9; break;
        default: r = helper(a, v);
      }
      int k = 0;
      if (v > 30) goto inside;
    again:
      r += a[(i + k) & 63];
    inside:
      out[i] = r;
      if (k++ < (v & 3)) goto again;
      while (v > 1) {
        v = (v & 1) ? 3 * v + 1 : v / 2;
        if (v > 500) break;
        if (v % 5 == 0) continue;
        r += out[i];
      }
      do { for (int j = 0; j < n; ++j) r ^= a[j]; } while (--k > 0);
      out[i] = r;
    })";
  const Launch launch{"flow", {64, 1, 1}, {16, 1, 1}, {pattern(256, 61), pattern(256, 5)}, {3}};
  check(source, launch);
  items.clear();
  check(source, launch, Optimize::O0);
}

TEST_F(Runtime, SeparatesGroupsAndNumbersItemsLinearlyInThreeDimensions) {
  const Launch launch{"k", {4, 4, 4}, {2, 4, 1}, {pattern(64, 9)}, {}};
  check(R"(
    kernel void k(global int* a) {
      a[get_global_id(0) + 4 * get_global_id(1) + 16 * get_global_id(2)] += get_local_id(1);
    })",
        launch);
  ASSERT_EQ(items.size(), 64U);
  for (const auto& [key, item] : items) {
    const auto& [group, id] = key;
    const std::uint64_t x = group[0] * 2 + id % 2, y = group[1] * 4 + id / 2, z = group[2];
    const std::uint64_t offset = item.events.at(0).address_or_bits - item.objects.at({0, 0});
    EXPECT_EQ(offset, 4 * (x + 4 * y + 16 * z));
  }
}

TEST_F(Runtime, KeepsLocalMemoryBarriersAndPrivateArraysApart) {
  const auto counts = check(R"(
    constant int table[4] = {5, 6, 7, 8};
    kernel void k(global const int* a, global int* b, int n) {
      local int tile[16];
      int v[8], l = get_local_id(0), i = get_global_id(0);
      for (int j = 0; j < 8; ++j) v[j] = a[i + j];
      for (int j = 0; j < n; ++j) v[(l + j) & 7] += table[a[j] & 3];
      tile[l] = v[l & 7];
      barrier(CLK_LOCAL_MEM_FENCE);
      b[i] = tile[15 - l];
    })",
                            {"k", {64, 1, 1}, {16, 1, 1}, {pattern(80, 31), pattern(64, 3)}, {10}});
  EXPECT_FALSE(counts.empty());
}

TEST_F(Runtime, ExecutesLoweredBuiltinsAsPoclDoes) {
  const std::string source = R"(
    kernel void vectors(global int* a, global int* b) {
      int i = get_global_id(0);
      int4 v = vload4(i, a);
      int3 w = vload3(i, a + 1);
      vstore4(v * 2, i, b);
      vstore3(w, i, b + 256);
      vstore_half_rtz(v.x * 0.3f, i, (global half*)(b + 512));
      vstore_half_rtp(v.x * -0.3f, i, (global half*)(b + 544));
      vstore_half_rtn(v.y * 0.7f, i, (global half*)(b + 576));
      vstore_half(vload_half(i, (global half*)a) * 1.3f, i, (global half*)(b + 608));
      vstorea_half4_rte(convert_float4(v), i, (global half*)(b + 640));
    }
    kernel void async(global int* a, global int* b) {
      local int t[16];
      local int4 u[8];
      event_t e = async_work_group_copy(t, a + get_group_id(0) * 16, 16, 0);
      e = async_work_group_strided_copy(u, (global int4*)a, 8, 2, e);
      wait_group_events(1, &e);
      int l = get_local_id(0);
      b[get_global_id(0)] = t[15 - l] + u[l & 7].z;
      barrier(CLK_LOCAL_MEM_FENCE);
      t[l] = l * get_group_id(0);
      barrier(CLK_LOCAL_MEM_FENCE);
      e = async_work_group_strided_copy(b + 128 + get_group_id(0), t, 16, 4, 0);
      wait_group_events(1, &e);
    }
    kernel void atomics(volatile global int* h, global float* f) {
      int i = get_global_id(0);
      atomic_add(h + (i & 3), 1);
      atomic_sub(h + 4, 2);
      atomic_inc(h + 5);
      atomic_dec(h + 6);
      atomic_max(h + 7, i);
      atomic_min((volatile global uint*)h + 8, (uint)i);
      atomic_and(h + 9, ~i);
      atomic_or(h + 10, i);
      atomic_xor(h + 11, i);
      atomic_cmpxchg(h + 12, 3, 1000);
      atomic_xchg(h + 13, 77);
      atomic_xchg(f, 2.5f);
      read_mem_fence(CLK_GLOBAL_MEM_FENCE);
      write_mem_fence(CLK_GLOBAL_MEM_FENCE);
      mem_fence(CLK_LOCAL_MEM_FENCE);
    }
    kernel void math(global int* a, global int* b) {
      int i = get_global_id(0);
      float x = a[i] * 0.37f - 4, c, w, f, s = sincos(x, &c), m = modf(x, &w), r = fract(x, &f);
      float4 w4, m4 = modf((float4)(x, -0.0f, INFINITY, 2.5f), &w4);
      int e, sign;
      float fr = frexp(x, &e), lg = lgamma_r(x + 0.01f, &sign);
      b[8 * i] = as_int(m);
      b[8 * i + 1] = as_int(w);
      b[8 * i + 2] = as_int(r);
      b[8 * i + 3] = as_int(f);
      b[8 * i + 4] = as_int(fr) + e;
      b[8 * i + 5] = sign + (int)(s * 1000) + (int)(c * 1000);
      b[8 * i + 6] = as_int(m4.y) ^ as_int(m4.z) ^ as_int(w4.z);
      b[8 * i + 7] = as_int(m4.w) ^ as_int(w4.y);
    })";
  for (const char* kernel : {"vectors", "async", "atomics", "math"}) {
    SCOPED_TRACE(kernel);
    items.clear();
    check(source, {kernel, {64, 1, 1}, {16, 1, 1}, {pattern(512, 101), pattern(1024, 3)}, {}});
  }
}

// PoCL 3.1 compiles no C11 atomics from source, so the expected values are worked out by hand.
TEST_F(Runtime, ExecutesC11Atomics) {
  const CompiledProgram program = compile(R"(
    kernel void c11(global atomic_int* h, global int* out) {
      int i = get_global_id(0);
      atomic_fetch_add(h, i);
      atomic_fetch_max_explicit(h + 1, i, memory_order_relaxed, memory_scope_device);
      atomic_fetch_sub_explicit(h + 2, 2, memory_order_acq_rel, memory_scope_work_group);
      int old = atomic_load(h + 3);
      while (!atomic_compare_exchange_strong(h + 3, &old, old + 3)) {}
      if (!atomic_flag_test_and_set((volatile global atomic_flag*)(h + 4))) atomic_fetch_add(h + 5, 1);
      atomic_exchange(h + 6, 9);
      int expected = -1;
      out[i] = atomic_compare_exchange_strong(h + 7, &expected, 5) ? 1000 : expected;
      local atomic_int n;
      if (get_local_id(0) == 0) atomic_init(&n, 5);
      work_group_barrier(CLK_LOCAL_MEM_FENCE);
      atomic_fetch_xor(&n, 1 << get_local_id(0));
      work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
      out[i] += atomic_load(&n);
      atomic_store(h + 8, 12);
    })",
                                          Optimize::Gpu, "CL2.0");
  const Launch launch{"c11",
                      {64, 1, 1},
                      {16, 1, 1},
                      {std::vector<std::int32_t>(16, 0), std::vector<std::int32_t>(64, 0)},
                      {}};
  for (const std::string& path : {program.optimised_path, program.instrumented_path}) {
    items.clear();
    const auto result = run(read_file(path), false, launch);
    // 0 + 1 + ... + 63; the largest id; -2 per item; +3 per item; the flag; one winner; 9; untouched; 12.
    EXPECT_THAT(result[0], ::testing::ElementsAre(2016, 63, -128, 192, 1, 1, 9, 0, 12, 0, 0, 0, 0, 0, 0, 0));
    // The exchange fails and returns 0; 5 ^ 0xffff.
    EXPECT_THAT(result[1], ::testing::Each(0xffff ^ 5));
  }
  check_events(program, launch);
}

}  // namespace
}  // namespace warpscope
