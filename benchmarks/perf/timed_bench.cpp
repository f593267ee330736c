// Warp instructions per second of the timed engine on the naive multiplication, built in memory.
#include <benchmark/benchmark.h>

#include "tests/unit/scheduler/kernel_builder.h"
#include "timed/config/preset_config.h"
#include "timed/engine.h"

namespace warpscope::timed {
namespace {

using warpscope::testing::make_group;
using warpscope::testing::Outcomes;
using warpscope::testing::VectorSource;

/// The loop block of benchmarks/kernels/mm as the capture describes it: two loads, a multiply-add that needs
/// both.
KernelInfo multiplication_kernel() {
  warpscope::testing::KernelBuilder k;
  const SiteId a = k.load(), b = k.load(), c = k.store();
  k.block({}, {1});
  k.block({a, b}, {1, 2});
  k.block({c}, {});
  KernelInfo kernel = k.finish();
  BlockInfo& loop = kernel.blocks[1];
  loop.instructions = 15;
  loop.mix = {{"branch", 1},  {"compare", 1}, {"convert", 2}, {"fp32_fma", 1},
              {"int_alu", 5}, {"int_mul", 1}, {"phi", 2}};
  const std::uint32_t positions[] = {5, 10, 0};
  for (const SiteId site : {a, b, c}) {
    SiteInfo& info = kernel.sites[site.value()];
    info.alignment = 4;
    info.point = {BlockId(site == c ? 2 : 1), positions[site.value()]};
    if (site == c) continue;
    info.earliest = ProgramPoint{BlockId(1), 2};
    info.consumers = {{BlockId(1), 11}};
  }
  kernel.blocks[2].instructions = 2;
  return kernel;
}

VectorSource multiplication(std::uint32_t width) {
  const KernelInfo kernel = multiplication_kernel();
  const std::uint64_t pitch = width * 4, across = width / 16;
  VectorSource source(kernel, {across, across, 1}, {16, 16, 1});
  const auto outcomes = [&](std::uint32_t, std::uint32_t) {
    Outcomes all(width, 0);
    all.back() = 1;
    return all;
  };
  for (std::uint32_t g = 0; g < across * across; ++g) {
    source.add(make_group(kernel, g, 256, outcomes,
                          [&](std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count) {
                            const std::uint64_t x = group % across * 16 + item % 16;
                            const std::uint64_t y = group / across * 16 + item / 16;
                            const std::uint64_t offset = site.value() == 0   ? y * pitch + count * 4
                                                         : site.value() == 1 ? count * pitch + x * 4
                                                                             : y * pitch + x * 4;
                            return BufferAddr(BufferId(site.value() + 1), offset).key();
                          }));
  }
  return source;
}

void naive_multiplication(benchmark::State& state, const char* name) {
  const VectorSource source = multiplication(128);
  StreamHeader header;
  for (std::uint32_t b = 1; b <= 3; ++b)
    header.buffers.push_back({BufferId(b), "m", AddressSpace::Global, 128u * 128 * 4, "read_write"});
  header.launches.push_back(source.launch());
  const GpuPreset preset = load_preset(name);
  const TimedConfig config = config_from(preset).config;
  DispatchOptions options;
  options.cores = 4;
  options.slots = slots_of(source.launch(), config, 32, 6, 64);
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    TimedEngine engine(config, header);
    for (const CoreCounts& core : engine.run(source, options).cores) instructions += core.instructions;
  }
  state.counters["instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(naive_multiplication, gtx480, "gtx480")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(naive_multiplication, v100, "v100")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpscope::timed
