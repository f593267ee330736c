#pragma once
#include <cstdint>

#include "scheduler/random.h"

namespace warpscope {

/// A seed for part `index` of a whole that has `seed`: neighbouring indices give unrelated sequences.
inline std::uint64_t seed_for(std::uint64_t seed, std::uint64_t index) {
  return SplitMix64(SplitMix64(seed).next() + index).next();
}

}  // namespace warpscope
