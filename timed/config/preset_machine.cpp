#include "timed/config/preset_machine.h"

#include <algorithm>
#include <string_view>

#include "timed/config/published_fetch.h"

namespace warpscope::timed {
namespace {

/// What the instructions of one architecture differ in. Sources:
/// - pairs of halves: CUDA C Programming Guide, throughput of native arithmetic instructions (128 results of __half2 per core and cycle are
///   an interval of 2);
/// - which pipes: Nsight Compute, Kernel Profiling Guide, "Pipelines" (FMA heavy and lite from GA10x on; XU converts);
/// - tensor cores: NVIDIA's whitepapers, multiplications of halves per core and cycle: V100 and TU102 512, A100 1,024, GA102 and AD102 512,
///   H100 2,048, of which mma.sync reaches 63 % (W. Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", arXiv
///   2402.13499, recalled); doubles: A100 64, H100 128; sums in 32 bits where they are slower (GeForce): the preset's;
/// - special functions: on an H100 ex2.approx takes 17 cycles (validation/notes/h100.md); elsewhere the preset's, or Volta's.
struct Architecture {
  std::string_view compute_capability;
  std::uint32_t half_interval;
  bool half_takes_fma_pipes, double_shares_port;
  double tensor_half, tensor_double;          ///< of a core
  std::uint32_t special_latency;              ///< 0: not known
  std::uint32_t branch_latency, cold_cycles;  ///< 0: not known
};
constexpr Architecture kArchitectures[] = {
    {"7.0", 2, false, true, 512, 0, 0, 0, 0},  {"7.2", 2, false, true, 512, 0, 0, 0, 0},
    {"7.5", 2, false, false, 512, 0, 0, 0, 0}, {"8.0", 1, false, true, 1024, 64, 0, 0, 0},
    {"8.6", 2, true, false, 512, 0, 0, 0, 0},  {"8.7", 1, true, false, 1024, 0, 0, 0, 0},
    {"8.9", 2, true, false, 512, 0, 0, 0, 0},  {"9.0", 1, true, true, 2048 * 0.63, 128, 17, 10, 115},
};

/// Of a work-group of one warp on a V100: L. Zhang et al., "A Study of Single and Multi-device Synchronization Methods in Nvidia GPUs",
/// arXiv 2004.05371, recalled.
constexpr std::uint32_t kBarrierLatency = 22;

/// Of an RTX A6000: R. Huerta et al., MICRO 2025, 5.4.
constexpr const char* kMemoryQueueCapability = "8.6";
constexpr std::uint32_t kMemoryQueueEntries = 5;

}  // namespace

MachineTimes machine_times(const GpuPreset& preset, const TimedConfig& config) {
  const IssueConfig& issue = config.issue;
  const L1Config& l1 = config.l1;
  MachineTimes times;
  const auto cost = [&issue](const char* name) { return issue.costs[instruction_class_named(name)]; };
  times.alu_interval = cost("int_alu").interval;
  times.fma_interval = cost("fp32_fma").interval;
  // 32 lanes a scheduler are two pipes of 16.
  times.has_two_fma_pipes = times.fma_interval == 1;
  times.fma_interval = std::max(times.fma_interval, 2u);
  times.double_interval = cost("fp64_fma").interval;
  times.double_latency = cost("fp64_fma").latency;
  times.special_interval = cost("fp32_special").interval;
  times.special_latency = cost("fp32_special").latency;
  times.mio_latency = l1.local_latency;
  times.barrier_latency = kBarrierLatency;
  times.constant_latency = l1.constant_latency;
  // A store does not come back through the L1. What was measured from one work-group to the next includes it: the last
  // instruction of the first is a store.
  times.store_latency = config.memory.l2_latency - std::min(config.memory.l2_latency, l1.hit_latency);
  times.group_start_latency =
      std::max(config.group_start_latency, times.store_latency + 1) - times.store_latency;
  for (const Architecture& one : kArchitectures) {
    if (preset.compute_capability.value_or("") != one.compute_capability) continue;
    times.half_interval = one.half_interval;
    times.half_takes_fma_pipes = one.half_takes_fma_pipes;
    times.double_shares_port = one.double_shares_port;
    times.tensor_half_products = one.tensor_half / issue.schedulers;
    times.tensor_double_products = one.tensor_double / issue.schedulers;
    times.tensor_single_sum_products = preset.tensor_single_sums_per_cycle.value_or(0) / issue.schedulers;
    times.branch_latency = one.branch_latency;
    times.cold_cycles = one.cold_cycles;
    if (one.special_latency != 0) times.special_latency = one.special_latency;
  }
  if (preset.compute_capability == kMemoryQueueCapability)
    times.published_memory_queue_entries = kMemoryQueueEntries;
  times.published_fetch = published_fetch(preset.compute_capability.value_or(""), config.memory.l2_latency);
  times.fetch.starts_warm = times.cold_cycles != 0;
  return times;
}

}  // namespace warpscope::timed
