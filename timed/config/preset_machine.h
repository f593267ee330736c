#pragma once
// How machine code issues on a GPU: MachineTimes by its architecture.
#include "gpus/preset.h"
#include "timed/config/config.h"

namespace warpscope::timed {

/// Of a preset; `config` has all else of it. What is not known is Volta's, or has no effect.
MachineTimes machine_times(const GpuPreset& preset, const TimedConfig& config);

}  // namespace warpscope::timed
