#pragma once
// Random machines for the laws: any coalescing rule, cache and schedule, or a GPU preset.
#include <vector>

#include "cachesim/l1/l1_cache.h"
#include "cachesim/simulate/preset_cache.h"
#include "scheduler/policies/registry.h"
#include "tests/property/laws/program_on_disk.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope::testing {

inline const GpuPreset& preset_number(std::uint64_t number) {
  static const std::vector<GpuPreset> presets = [] {
    std::vector<GpuPreset> all;
    for (const std::string& name : preset_names()) all.push_back(load_preset(name));
    return all;
  }();
  return presets[number % presets.size()];
}

/// A cache that can be built, of transactions that the rule may have.
inline CacheConfig random_cache(SplitMix64& random, std::uint32_t line, std::uint32_t sector) {
  const auto any = [&](auto table) { return table[random.below(table.size())].name; };
  for (;;) {
    CacheConfig cache;
    cache.size_kib = 1u << random.below(5);
    cache.line_bytes = line;
    cache.sector_bytes = sector;
    cache.ways = static_cast<std::uint32_t>(1 + random.below(8));
    cache.replacement = any(replacement_policies());
    cache.write_policy = any(write_policies());
    cache.private_write_policy = random.below(2) == 0 ? "" : any(write_policies());
    cache.set_index = any(set_indexes());
    cache.seed = random.below(1000);
    try {
      validate(cache);
      return cache;
    } catch (const InputError&) {  // another one
    }
  }
}

/// Of a preset: its cores are fewer.
inline void take_preset(Machine& machine, const GpuPreset& preset) {
  machine.schedule.limits = preset;
  machine.schedule.warp_size = preset.warp_size;
  machine.rule = preset.coalescing;
  machine.stages = stage_rules(preset);
  machine.takes = preset_takes(preset);
  if (preset.l1_size_kib == 0) return;
  machine.simulation.cache = preset_cache(preset);
  machine.simulation.cache_of = launch_cache(preset, machine.simulation.cache, {});
}

inline Machine random_machine(SplitMix64& random) {
  Machine machine;
  ScheduleOptions& schedule = machine.schedule;
  schedule.cores = static_cast<std::uint32_t>(1 + random.below(4));
  schedule.seed = 1 + random.below(100);
  schedule.assignment = random.below(3) == 0 ? "random" : "round-robin";
  schedule.reconvergence = random.below(3) == 0 ? "loops" : "ipdom";
  schedule.layout.seed = random.below(3);
  schedule.max_work_groups = static_cast<std::uint32_t>(random.below(4));
  if (random.below(3) == 0) {
    take_preset(machine, preset_number(random.next()));
  } else {
    schedule.warp_size = std::vector<std::uint32_t>{8, 16, 32, 32, 64}[random.below(5)];
    machine.rule = coalescing_rules()[random.below(coalescing_rules().size())].name;
    const std::uint32_t line = 32u << random.below(3);
    const bool sectored =
        line > 32 && (machine.rule == "volta" || machine.rule == "maxwell" || random.below(4) == 0);
    machine.simulation.cache = random_cache(random, line, sectored ? 32 : 0);
    if (random.below(4) != 0) machine.stages = StageRules{};
    if (machine.stages) machine.stages->line_bytes = line;
    machine.takes = static_cast<L1Takes>(random.below(8) < 5 ? 0 : random.below(4));
  }
  machine.simulation.cache.seed = schedule.seed;
  machine.simulation.classes = random.below(4) != 0;
  machine.simulation.by_source = random.below(4) == 0;
  machine.simulation.reuse_histogram = random.below(3) == 0;
  machine.simulation.self_check = true;
  return machine;
}

}  // namespace warpscope::testing
