#pragma once
// How long all cores take for the rest of a launch, from its first waves and from what few cores took for all of it.
#include <string>
#include <vector>

#include "cachesim/sampling/estimate.h"

namespace warpscope::timed {

/// Cycles of an instruction of few cores drift by about so much while the work stays the same, relative, one standard deviation: which work-groups
/// are in step changes. Chosen on launches of two GPUs (validation/notes/sampling.md, "The rest of a launch").
constexpr double kDrift = 0.015;

/// Waves of a launch in a row, on the drawn cores.
struct Stretch {
  double cycles = 0, instructions = 0, waves = 0;
};

/// Of a launch.
struct CalibratedWaves {
  std::vector<RatioPair>
      waves;  ///< cycles that all cores (part) and the drawn ones (whole) took for the same waves, above 0
  Stretch in_waves;  ///< these waves
  Stretch behind;    ///< those behind them but for the last; 0 instructions: there are too few
  double left = 0;   ///< cycles that the drawn ones took behind these waves, to the end
};

struct CalibratedCycles {
  double cycles = 0;    ///< that all cores take behind these waves, to the end
  double half = 0;      ///< half of the 95 % interval; what the drawn cores differ by is not in it
  std::string refused;  ///< why there is no interval; empty: there is one
};

/// The rest takes all cores as much longer than the drawn ones as these waves did. Where an instruction takes the drawn ones longer behind these
/// waves than in them, or less long, that may be the launch, and then it is so for all, or the drift of few cores. Of a change c the share
/// c^2 / (c^2 + kDrift^2) is taken for the launch's (empirical Bayes, both normally distributed), and how little that is known is in the
/// interval. So is how the waves scatter, and, where the waves of all cores still become longer or shorter (95 %) and the drawn ones do not go
/// on to, half of what they changed by: the rest is like the last of them rather than like their mean.
CalibratedCycles calibrated_cycles(const CalibratedWaves& found);

}  // namespace warpscope::timed
