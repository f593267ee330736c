#pragma once
// Which work-groups are recorded: --work-groups, and the GPU whose cores or waves it names.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpus/preset.h"
#include "traces/program/capture.h"
#include "traces/program/core_sample.h"

namespace warpscope {

class WorkGroupChoice {
 public:
  WorkGroupChoice() = default;  ///< all
  /// As GroupSelection::parse() takes it, or throws InputError.
  explicit WorkGroupChoice(const std::string& which);
  /// Of a GPU: "every-core:4", "random-cores:10", "random-cores:10:SEED", "waves:3". Throws InputError.
  WorkGroupChoice(const std::string& which, const GpuPreset& gpu);
  /// Whether `which` is one of those.
  static bool names_gpu(const std::string& which);

  /// For every launch alike. Throws InputError for "waves:3", which depends on the launch.
  [[nodiscard]] const std::string& of_any() const;
  /// As GroupSelection::parse() takes it; "all" if so many waves are all of it. Throws InputError when the GPU
  /// does not hold one work-group.
  [[nodiscard]] std::string of(const LaunchInfo& launch) const;

 private:
  /// Cores to draw for a launch, or a program, with work-groups of these shapes.
  struct Draw {
    std::uint32_t count = 0, of = 1;
    std::uint64_t seed = 1;
    [[nodiscard]] std::string text(const LaunchShapes& launches) const;
  };

  static Draw draw_from(const std::string& which, std::string_view numbers, const GpuPreset& gpu);

  std::string text_ = "all";
  std::optional<GpuPreset> waves_on_;  ///< the GPU of "waves:3"
  std::optional<Draw> draw_;           ///< set for "random-cores:10"
};

}  // namespace warpscope
