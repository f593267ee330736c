#pragma once
#include <cstdint>

#include "traces/base/random.h"
#include "traces/base/types.h"

namespace warpscope {

/// A seed for part `index` of a whole that has `seed`: neighbouring indices give unrelated sequences.
inline std::uint64_t seed_for(std::uint64_t seed, std::uint64_t index) {
  return SplitMix64(SplitMix64(seed).next() + index).next();
}

/// The seed of random replacement in a launch: other launches draw other numbers, and a launch draws the same
/// ones whether those before it are simulated or not. Launch 0 has `seed` itself.
inline std::uint64_t seed_in_launch(std::uint64_t seed, LaunchId launch) {
  return launch.value() == 0 ? seed : seed_for(seed, launch.value());
}

}  // namespace warpscope
