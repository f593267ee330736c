#pragma once
#include <cstdint>

#include "traces/capture/reader.h"

namespace warpscope::fuzzing {

/// A few bytes may tell of millions of work-groups in runs. To go through all of them is allowed to take its time.
inline bool has_few_groups(const CaptureReader& capture) {
  std::uint64_t groups = 0;
  for (const LaunchInfo& launch : capture.launches()) groups += capture.groups(launch.id).size();
  return groups <= 4096;
}

}  // namespace warpscope::fuzzing
