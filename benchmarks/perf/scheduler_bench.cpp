// Lane accesses per second of the fixed-order schedule into a sink that only counts, on kernels built in
// memory.
#include <benchmark/benchmark.h>

#include "scheduler/run_launch.h"
#include "tests/unit/scheduler/kernel_builder.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

using testing::AddressOf;
using testing::KernelBuilder;
using testing::make_group;
using testing::Outcomes;
using testing::VectorSource;

class CountingSink final : public WarpAccessSink {
 public:
  void begin(const StreamHeader& /*header*/) override {}
  void begin_launch(LaunchId /*launch*/) override {}
  void end() override {}
  void access(const WarpAccess& access) override {
    lanes += access.pattern->lanes;
    bases += access.base.key();
    ++accesses;
  }
  std::uint64_t lanes = 0, accesses = 0, bases = 0;
};

/// Group 0 of a launch, repeated for every group with its locations moved by `stride` bytes per group.
VectorSource repeated(const KernelInfo& kernel, std::uint32_t groups, Dim3 local, const WorkGroupTrace& first,
                      std::uint64_t stride) {
  VectorSource source(kernel, {groups, 1, 1}, local);
  for (std::uint32_t g = 0; g < groups; ++g) {
    WorkGroupTrace trace = first;
    trace.group = WorkGroupId(g);
    trace.recorded_order.clear();
    for (SiteColumn& column : trace.columns) {
      for (std::uint64_t& key : column.first) key += key == 0 ? 0 : g * stride;
    }
    source.add(std::move(trace));
  }
  return source;
}

/// Naive multiplication: per iteration one load of A and one of B, at the end one store.
VectorSource multiplication(std::uint32_t width) {
  KernelBuilder k;
  const SiteId a = k.load(), b = k.load(), c = k.store();
  k.block({}, {1});
  k.block({a, b}, {1, 2});
  k.block({c}, {});
  const KernelInfo kernel = k.finish();
  const std::uint64_t pitch = width * 4;
  const AddressOf address = [=](std::uint32_t, std::uint32_t item, SiteId site, std::uint64_t count) {
    const std::uint64_t x = item % 16, y = item / 16;
    const std::uint64_t offset = site == a   ? y * pitch + count * 4
                                 : site == b ? count * pitch + x * 4
                                             : y * pitch + x * 4;
    return BufferAddr(BufferId(site.value() + 1), offset).key();
  };
  const auto outcomes = [&](std::uint32_t, std::uint32_t) {
    Outcomes all(width, 0);
    all.back() = 1;
    return all;
  };
  return repeated(kernel, width * width / 256, {16, 16, 1}, make_group(kernel, 0, 256, outcomes, address),
                  64);
}

/// while (x != 1) with a branch on every iteration: every work-item takes its own path, at scattered
/// addresses.
VectorSource divergent(std::uint32_t groups) {
  KernelBuilder k;
  const SiteId start = k.load(), table = k.load(), odd = k.load(), result = k.store();
  k.block({start}, {1, 4});
  k.block({table}, {2, 3});
  k.block({odd}, {3});
  k.block({}, {1, 4});
  k.block({result}, {});
  const KernelInfo kernel = k.finish();
  SplitMix64 random(7);
  const AddressOf address = [&](std::uint32_t, std::uint32_t item, SiteId site, std::uint64_t) {
    const std::uint64_t offset = site == start || site == result ? item * 4 : random.below(1 << 14) * 4;
    return BufferAddr(BufferId(site.value() + 1), offset).key();
  };
  const auto outcomes = [&](std::uint32_t, std::uint32_t) {
    Outcomes all{0};
    for (std::uint64_t left = 1 + random.below(100); left > 0; --left) {
      all.push_back(static_cast<std::uint32_t>(random.below(2)));
      all.push_back(left > 1 ? 0 : 1);
    }
    return all;
  };
  return repeated(kernel, groups, {256, 1, 1}, make_group(kernel, 0, 256, outcomes, address), 1024);
}

/// Straight line of `loads` loads and a store per work-item: what a work-group costs before its first access.
VectorSource straight(std::uint32_t groups, std::uint32_t items, std::uint32_t loads) {
  KernelBuilder k;
  std::vector<SiteId> sites;
  for (std::uint32_t l = 0; l < loads; ++l) sites.push_back(k.load());
  sites.push_back(k.store());
  k.block({}, {1, 2});
  k.block(sites, {2});
  k.block({}, {});
  const KernelInfo kernel = k.finish();
  const AddressOf address = [](std::uint32_t, std::uint32_t item, SiteId site, std::uint64_t) {
    return BufferAddr(BufferId(site.value() + 1), 4096 + item * 4).key();
  };
  const auto guarded = [&](std::uint32_t, std::uint32_t item) { return Outcomes{item == 0 ? 1u : 0u}; };
  return repeated(kernel, groups, {items, 1, 1}, make_group(kernel, 0, items, guarded, address), items * 4);
}

void run(benchmark::State& state, const VectorSource& source, const ScheduleOptions& options) {
  std::uint64_t lanes = 0, accesses = 0;
  for (auto unused : state) {
    CountingSink sink;
    run_launch(source, options, sink);
    benchmark::DoNotOptimize(sink.bases);
    lanes += sink.lanes;
    accesses += sink.accesses;
  }
  state.counters["lane_accesses/s"] =
      benchmark::Counter(static_cast<double>(lanes), benchmark::Counter::kIsRate);
  state.counters["lanes_per_access"] = static_cast<double>(lanes) / static_cast<double>(accesses);
}

ScheduleOptions gpu_like(const std::string& reconvergence) {
  ScheduleOptions options;
  options.cores = 15;
  options.max_work_groups = 6;
  options.reconvergence = reconvergence;
  return options;
}

ScheduleOptions single_items(const std::string& policy) {
  ScheduleOptions options;
  options.policy = policy;
  options.max_work_groups = 0;
  return options;
}

void multiplication_256(benchmark::State& state) {
  run(state, multiplication(256), gpu_like("ipdom"));
}
void divergent_ipdom(benchmark::State& state) {
  run(state, divergent(256), gpu_like("ipdom"));
}
void divergent_loops(benchmark::State& state) {
  run(state, divergent(256), gpu_like("loops"));
}
void transposition_like(benchmark::State& state) {
  run(state, straight(1024, 256, 1), gpu_like("ipdom"));
}
void stencil_like(benchmark::State& state) {
  run(state, straight(7560, 64, 7), gpu_like("ipdom"));
}
void stencil_like_items(benchmark::State& state, const std::string& policy) {
  run(state, straight(7560, 64, 7), single_items(policy));
}

BENCHMARK(multiplication_256)->Unit(benchmark::kMillisecond);
BENCHMARK(divergent_ipdom)->Unit(benchmark::kMillisecond);
BENCHMARK(divergent_loops)->Unit(benchmark::kMillisecond);
BENCHMARK(transposition_like)->Unit(benchmark::kMillisecond);
BENCHMARK(stencil_like)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stencil_like_items, random, "random")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stencil_like_items, sequential, "sequential")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stencil_like_items, rr, "rr")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpscope
