#include "cachesim/classes/reuse_histogram.h"

#include <algorithm>

namespace warpscope {

ReuseHistogram& ReuseHistogram::operator+=(const ReuseHistogram& other) {
  for (std::size_t kind = 0; kind < 2; ++kind) {
    cold_[kind] += other.cold_[kind];
    for (std::size_t bin = 0; bin < counts_.size(); ++bin) counts_[bin][kind] += other.counts_[bin][kind];
  }
  return *this;
}

std::vector<ReuseHistogram::Bin> ReuseHistogram::bins() const {
  std::vector<Bin> bins;
  std::size_t used = 0;  // bins up to the last one that is not empty
  std::uint64_t from = 0;
  for (int width = 0; width < 64; ++width) {
    // Edges inside [2^(width-1), 2^width): every number below kExact, the capacity above it.
    const std::uint64_t end = std::uint64_t{1} << width;
    while (from < end) {
      std::uint64_t to = end - 1;
      if (from < kExact) to = from;
      if (from >= kExact && from < capacity_ && capacity_ < end) to = capacity_ - 1;
      const Pair& counts = counts_[bin_of(from)];
      bins.push_back({from, to, counts[0], counts[1]});
      if (counts[0] + counts[1] != 0) used = bins.size();
      from = to + 1;
    }
  }
  bins.resize(used);
  return bins;
}

}  // namespace warpscope
