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

void ReuseHistogram::encode(std::vector<std::uint8_t>& out) const {
  for (const std::uint64_t cold : cold_) put_varint(out, cold);
  std::size_t used = counts_.size();
  while (used != 0 && counts_[used - 1] == Pair{}) --used;
  put_varint(out, used);
  for (std::size_t bin = 0; bin < used; ++bin)
    for (const std::uint64_t count : counts_[bin]) put_varint(out, count);
}

void ReuseHistogram::add(ByteReader& in) {
  for (std::uint64_t& cold : cold_) cold += in.varint("first uses");
  const std::uint64_t used = in.count("bins", 2);
  if (used > counts_.size()) in.fail("bins", "are too many");
  for (std::size_t bin = 0; bin < used; ++bin)
    for (std::uint64_t& count : counts_[bin]) count += in.varint("reuses");
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
