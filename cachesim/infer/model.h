#pragma once
// A cache that somebody might have, and what it would do with a pattern: the inference keeps the caches whose
// predictions agree with the measurements. Apart from the replacement policies it shares nothing with the
// simulator.
#include <cstdint>
#include <string>
#include <vector>

#include "cachesim/infer/observation.h"

namespace warpscope::infer {

struct Hypothesis {
  std::uint32_t line_bytes = 128;
  std::uint32_t sector_bytes = 128;
  std::uint32_t sets = 1;
  std::uint32_t ways = 1;
  std::string replacement = "LRU";  ///< a name of cachesim/l1/registry.def
  /// Set bit i is the parity of the address bits in parity_of[i]; empty: line number modulo sets.
  std::vector<std::uint32_t> parity_of{};
};

/// Of loads; `steady` leaves the first round out (where there is only one, it is that round).
struct Prediction {
  std::uint64_t loads = 0, misses = 0, steady_loads = 0, steady_misses = 0;
};

/// `pattern` is a chase.
Prediction predict(const Hypothesis& hypothesis, const Pattern& pattern);

}  // namespace warpscope::infer
