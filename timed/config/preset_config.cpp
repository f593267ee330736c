#include "timed/config/preset_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cachesim/access/coalescer.h"
#include "cachesim/simulate/preset_cache.h"
#include "timed/config/preset_machine.h"

namespace warpscope::timed {
namespace {

/// Takes values from optional keys and notes the ones that are not known.
/// Of an empty kernel on an H100, by Nsight Compute: 4,200 to 4,400 elapsed cycles, less the 170 to 440 for which its core is active
/// (validation/notes/h100.md).
constexpr std::uint32_t kLaunchCycles = 4000;

class Reader {
 public:
  explicit Reader(std::vector<Assumption>& assumed) : assumed_(assumed) {}
  template <class From, class To>
  void take(const char* key, const std::optional<From>& value, To& into, const char* reason) {
    if (value) {
      if constexpr (std::is_floating_point_v<From>) {
        into = static_cast<To>(std::llround(*value));
      } else {
        into = *value;
      }
    } else {
      note(key, fmt::format("{}", into), reason);
    }
  }
  void note(const char* key, std::string value, const char* reason) {
    assumed_.push_back({key, std::move(value), reason});
  }

 private:
  std::vector<Assumption>& assumed_;
};

constexpr const char* kAsVolta = "as Volta";
/// Instructions of a conditional part that become predicates: timed/program/predicates.h.
constexpr std::uint32_t kPredicated = 7;

/// Registers for values that are on their way. nvcc 13.0 keeps unrolled kernels to as many registers as leave a core full of work-items
/// (32 for sm_80 and sm_90, 40 for sm_86 and sm_89, 64 for sm_75), and some 16 are for other things (validation/notes/copying-loops.md).
/// It does not compile for what is older: no limit.
std::uint32_t load_registers(const GpuPreset& preset) {
  constexpr double kOldest = 7.5;
  constexpr std::uint64_t kForOthers = 16, kGranule = 8;
  if (std::strtod(preset.compute_capability.value_or("0").c_str(), nullptr) < kOldest) return 0;
  if (!preset.registers_per_core || !preset.max_work_items_per_core || *preset.max_work_items_per_core == 0)
    return 0;
  const std::uint64_t of_full_core =
      std::min<std::uint64_t>(255, *preset.registers_per_core / *preset.max_work_items_per_core) / kGranule *
      kGranule;
  return static_cast<std::uint32_t>(std::max(of_full_core, 2 * kForOthers) - kForOthers);
}

void take_class(Reader& reader, const GpuPreset& preset, CostTable& costs, const char* key,
                const std::optional<double>& per_cycle, std::initializer_list<const char*> classes) {
  const double schedulers = preset.schedulers_per_core.value_or(4);
  for (const char* name : classes) {
    InstructionCost& cost = costs[instruction_class_named(name)];
    if (per_cycle)
      cost.interval =
          static_cast<std::uint32_t>(std::max(1.0, std::ceil(preset.warp_size * schedulers / *per_cycle)));
  }
  if (!per_cycle)
    reader.note(key,
                fmt::format("{} cycles per warp", costs[instruction_class_named(*classes.begin())].interval),
                kAsVolta);
}

void take_latency(Reader& reader, CostTable& costs, const char* key, const std::optional<double>& cycles,
                  std::initializer_list<const char*> classes) {
  for (const char* name : classes)
    if (cycles)
      costs[instruction_class_named(name)].latency = static_cast<std::uint32_t>(std::lround(*cycles));
  if (!cycles)
    reader.note(key, fmt::format("{}", costs[instruction_class_named(*classes.begin())].latency), kAsVolta);
}

constexpr std::initializer_list<const char*> kFloat = {"fp32_add", "fp32_mul", "fp32_fma",
                                                       "fp32_div", "fp16",     "fp16_fma"};
constexpr std::initializer_list<const char*> kDouble = {"fp64", "fp64_fma", "fp64_div", "fp64_sqrt",
                                                        "fp64_special"};
constexpr std::initializer_list<const char*> kSpecial = {"fp32_special", "fp32_sqrt", "fp32_rsqrt"};

void take_issue(Reader& reader, const GpuPreset& preset, IssueConfig& issue) {
  reader.take("schedulers_per_core", preset.schedulers_per_core, issue.schedulers, "as Volta");
  reader.take("issue_width_per_scheduler", preset.issue_width_per_scheduler, issue.issue_width, "one");
  reader.take("warp_scheduler", preset.warp_scheduler, issue.policy, "greedy then oldest");
  CostTable& costs = issue.costs;
  take_class(reader, preset, costs, "fp32_per_cycle", preset.fp32_per_cycle, kFloat);
  take_class(reader, preset, costs, "fp64_per_cycle", preset.fp64_per_cycle, kDouble);
  take_class(reader, preset, costs, "special_per_cycle", preset.special_per_cycle, kSpecial);
  take_class(reader, preset, costs, "int_alu_per_cycle", preset.int_alu_per_cycle,
             {"int_alu", "select", "convert", "int_div", "other"});  // most conversions extend an index
  take_class(reader, preset, costs, "int_mul_per_cycle", preset.int_mul_per_cycle, {"int_mul"});
  take_class(reader, preset, costs, "compare_per_cycle", preset.compare_per_cycle, {"compare"});
  take_latency(reader, costs, "fp32_latency_cycles", preset.fp32_latency_cycles, kFloat);
  take_latency(reader, costs, "fp64_latency_cycles", preset.fp64_latency_cycles, kDouble);
  take_latency(reader, costs, "special_latency_cycles", preset.special_latency_cycles, kSpecial);
  take_latency(reader, costs, "int_alu_latency_cycles", preset.int_alu_latency_cycles,
               {"int_alu", "select", "compare", "convert", "branch", "call", "other", "barrier"});
  take_latency(reader, costs, "int_mul_latency_cycles", preset.int_mul_latency_cycles,
               {"int_mul", "int_div"});
}

L1Stages stages_of_rule(const GpuPreset& preset) {
  return coalescing_rule(preset.coalescing).tag_stage.banked ? L1Stages::Wavefronts : L1Stages::InOrder;
}

/// How many lanes begin their access in a cycle: the load/store units of a core in the figures of NVIDIA's
/// whitepapers on Turing, GA102 and Ada, four in each of its four parts. Volta, GA100 and Hopper have 32, and
/// elsewhere a whole warp is assumed, too: 0.
std::uint32_t load_store_lanes(std::string_view compute_capability) {
  constexpr std::array<std::string_view, 3> kSixteen = {"7.5", "8.6", "8.9"};
  return std::find(kSixteen.begin(), kSixteen.end(), compute_capability) != kSixteen.end() ? 16 : 0;
}

void take_l1(Reader& reader, const GpuPreset& preset, L1Stages stages, L1Config& l1) {
  l1.cache.size_kib = preset.l1_size_kib;
  l1.cache.line_bytes = preset.l1_line_bytes;
  l1.cache.ways = preset.l1_ways;
  l1.cache.replacement = preset.l1_replacement;
  l1.cache.write_policy = preset_write_policy(preset);
  l1.cache.set_index = preset.l1_set_index;
  l1.takes = preset_takes(preset);
  if (preset.l1_size_kib == 0) l1.cache = {};  // no L1: nothing reaches the smallest one that can be built
  l1.cache.sector_bytes = l1.cache.line_bytes;
  reader.take("l1_sector_bytes", preset.l1_sector_bytes, l1.cache.sector_bytes, "no sectors");
  l1.cache.private_write_policy = kPrivateWritePolicy;
  reader.take("l1_allocates_on_fill", preset.l1_allocates_on_fill, l1.allocate_on_fill, "at the miss");
  reader.take("l1_private_write_policy", preset.l1_private_write_policy, l1.cache.private_write_policy,
              "as documented for Fermi");
  reader.take("l1_units_per_core", preset.l1_units_per_core, l1.units, "one");
  reader.take("l1_hit_latency_cycles", preset.l1_hit_latency_cycles, l1.hit_latency, kAsVolta);
  reader.take("local_latency_cycles", preset.local_latency_cycles, l1.local_latency, kAsVolta);
  l1.banks = bank_rules(preset);
  l1.stages = stages;
  l1.lanes_per_cycle = load_store_lanes(preset.compute_capability.value_or(""));
  if (stages == L1Stages::Wavefronts) {
    reader.take("l1_tags_per_cycle", preset.l1_tags_per_cycle, l1.tags_per_cycle,
                "four, as documented for Volta");
  } else {
    reader.take("l1_tags_per_cycle", preset.l1_tags_per_cycle, l1.tags_per_cycle = 1, "one line per cycle");
  }
  reader.take("l1_bytes_per_cycle", preset.l1_bytes_per_cycle, l1.data_bytes_per_cycle,
              "a line of 128 bytes");
  reader.take("l1_mshr_entries", preset.l1_mshr_entries, l1.mshr_entries, "GPGPU-Sim's most frequent value");
  reader.take("l1_mshr_merges_per_entry", preset.l1_mshr_merges_per_entry, l1.mshr_merges, "no limit");
  reader.note("constant_latency", fmt::format("{}", l1.constant_latency),
              "Volta's first-level constant cache, recalled");
  reader.note("l1_queue_entries", fmt::format("{}", l1.queue_entries), "not documented");
}

/// Behind take_l1(): the latency of a hit in the L1, like that of the L2, is from load to use.
void take_shared_l1(Reader& reader, const GpuPreset& preset, std::uint32_t hit_latency,
                    MemoryConfig& memory) {
  SharedL1Config& shared = memory.shared_l1;
  if (!preset.shared_l1_kib) return;
  shared.size_kib = *preset.shared_l1_kib;
  reader.take("shared_l1_ways", preset.shared_l1_ways, shared.ways, "16");
  reader.take("cores_per_shared_l1", preset.cores_per_shared_l1, shared.cores = 10, "ten, as in RDNA 2");
  reader.take("shared_l1_bytes_per_cycle", preset.shared_l1_bytes_per_cycle, shared.bytes_per_cycle = 256,
              "256, as documented for RDNA");
  shared.latency = (hit_latency + memory.l2_latency) / 2;
  reader.take("shared_l1_latency_cycles", preset.shared_l1_latency_cycles, shared.latency,
              "half-way between the L1's and the L2's");
}

void take_memory(Reader& reader, const GpuPreset& preset, MemoryConfig& memory) {
  reader.take("l2_size_kib", preset.l2_size_kib, memory.l2_size_kib, kAsVolta);
  reader.take("l2_slices", preset.l2_slices, memory.l2_slices, kAsVolta);
  reader.take("l2_ways", preset.l2_ways, memory.l2_ways, "16");
  reader.take("l2_hit_latency_cycles", preset.l2_hit_latency_cycles, memory.l2_latency, kAsVolta);
  const auto beside_median = [&](const std::optional<double>& cycles, double sign) {
    const double by = cycles ? sign * (std::clamp(*cycles, 0.0, 1e9) - memory.l2_latency) : 0;
    return static_cast<std::uint32_t>(std::lround(std::max(by, 0.0)));
  };
  memory.l2_latency_below = beside_median(preset.l2_hit_latency_p10_cycles, -1);
  memory.l2_latency_above = beside_median(preset.l2_hit_latency_p90_cycles, 1);
  reader.take("l2_bytes_per_cycle_per_slice", preset.l2_bytes_per_cycle_per_slice, memory.l2_bytes_per_cycle,
              "one sector");
  memory.l2_requests_per_cycle = preset.l2_requests_per_cycle_per_slice.value_or(0);
  memory.l2_store_cost = preset.l2_store_cost.value_or(1);
  memory.l2_partitions = preset.l2_partitions.value_or(1);
  memory.l2_far_latency =
      static_cast<std::uint32_t>(std::lround(std::clamp(preset.l2_far_latency_cycles.value_or(0), 0.0, 1e9)));
  memory.dram_access_bytes = preset.dram_access_bytes.value_or(0);
  memory.dram_channels = std::min(memory.dram_channels, memory.l2_slices);
  if (!preset.dram_channels) memory.dram_channels = std::max(1u, memory.l2_slices / 2);
  reader.take("dram_channels", preset.dram_channels, memory.dram_channels, "one for two L2 slices");
  if (preset.dram_bandwidth_gb_per_s && preset.core_clock_mhz) {
    memory.dram_bytes_per_cycle =
        *preset.dram_bandwidth_gb_per_s * 1000 / *preset.core_clock_mhz / memory.dram_channels;
  } else {
    reader.note("dram_bandwidth_gb_per_s",
                fmt::format("{:.1f} bytes per cycle and channel", memory.dram_bytes_per_cycle), kAsVolta);
  }
  if (preset.dram_latency_cycles) {
    memory.dram_latency = static_cast<std::uint32_t>(
        std::max(0.0, std::round(*preset.dram_latency_cycles) - static_cast<double>(memory.l2_latency)));
  } else {
    reader.note("dram_latency_cycles", fmt::format("{}", memory.l2_latency + memory.dram_latency), kAsVolta);
  }
  reader.take("l2_to_core_bytes_per_cycle", preset.l2_to_core_bytes_per_cycle, memory.reply_bytes_per_cycle,
              "64: not documented");
  reader.take("l2_replies_per_cycle", preset.l2_replies_per_cycle, memory.replies_per_cycle, "no limit");
  reader.note("core_to_l2_bytes_per_cycle", fmt::format("{}", memory.request_bytes_per_cycle),
              "32: not documented");
}

}  // namespace

PresetConfig config_from(const GpuPreset& preset, std::optional<L1Stages> stages) {
  PresetConfig result;
  TimedConfig& config = result.config;
  Reader reader(result.assumed);
  take_issue(reader, preset, config.issue);
  take_l1(reader, preset, stages.value_or(stages_of_rule(preset)), config.l1);
  take_memory(reader, preset, config.memory);
  take_shared_l1(reader, preset, config.l1.hit_latency, config.memory);
  config.memory.l2_line_bytes = config.l1.cache.line_bytes;
  config.coalescing = current_rule_name(preset.coalescing);
  reader.take("warp_start_cycles", preset.warp_start_cycles, config.warp_start_cycles,
              "all warps of a work-group at once");
  reader.take("dispatch_window_cycles", preset.dispatch_window_cycles, config.dispatch_window_cycles,
              "places go in the order in which they become free");
  reader.take("work_group_start_cycles", preset.work_group_start_cycles, config.group_start_latency,
              "not documented");
  config.group_starts_per_cycle = preset.work_group_starts_per_cycle.value_or(0);
  config.launch_cycles = kLaunchCycles;
  if (preset.compute_capability != "9.0")
    reader.note("launch_cycles", fmt::format("{}", kLaunchCycles), "an H100's");
  reader.take("unrolled_iterations", preset.unrolled_iterations, config.issue.unroll,
              "what ptxas does to innermost loops");
  config.issue.predicated = preset.vendor == "NVIDIA" ? kPredicated : 0;
  reader.note("predicated", fmt::format("{}", config.issue.predicated),
              "NVIDIA's compiler; no other's is known to let loads pass such branches");
  config.issue.load_registers = load_registers(preset);
  reader.note("load_registers", fmt::format("{}", config.issue.load_registers),
              "a full core's registers, less 16, by nvcc 13.0; no limit (0) where that does not compile for");
  config.issue.machine = machine_times(preset, config);
  return result;
}

}  // namespace warpscope::timed
