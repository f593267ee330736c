#pragma once
// From a GPU preset to what the timed engine simulates.
#include <optional>
#include <string>
#include <vector>

#include "gpus/preset.h"
#include "timed/config/config.h"
#include "traces/program/capture.h"

namespace warpscope::timed {

/// A value that the preset does not know, and what is taken instead.
struct Assumption {
  std::string key, value, reason;
};

struct PresetConfig {
  TimedConfig config;
  std::vector<Assumption> assumed;
};
/// `stages`: how accesses take the L1; without it wavefronts where the preset's tags are banked (Volta and
/// later), else in order. Throws InputError when the preset names a policy that is not there.
PresetConfig config_from(const GpuPreset& preset, std::optional<L1Stages> stages = {});

}  // namespace warpscope::timed
