#pragma once
// Measures patterns on a simulated GPU: what replaces hardware in `cachesim infer --simulate`.
#include <cstdint>

#include "cachesim/infer/observation.h"
#include "cachesim/l1/cache_config.h"
#include "gpus/preset.h"

namespace warpscope::infer {

struct MeasuringOptions {
  bool timings = false;        ///< cycles per load in place of counters
  double noise_per_mille = 0;  ///< uniform noise, up and down: share of the loads (counters) or of the cycles
  std::uint64_t seed = 1;
};

/// One core's L1 as `cachesim --preset` would build it for a kernel without local memory. One warp measures:
/// of several L1 units per core it uses one.
class SimulatedGpu {
 public:
  SimulatedGpu(const GpuPreset& preset, const MeasuringOptions& options);
  [[nodiscard]] Observation measure(const Pattern& pattern) const;

 private:
  struct Tally;
  [[nodiscard]] Tally run(const Pattern& pattern) const;

  MeasuringOptions options_;
  bool cached_;
  double hit_cycles_, miss_cycles_;
  CacheConfig cache_;
};

}  // namespace warpscope::infer
