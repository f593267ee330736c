#pragma once
// Which core asks how much of each part of the memory.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace warpscope::timed {

/// Of parts that are alike, such as the slices of an L2.
struct PartDemand {
  std::vector<std::vector<std::uint64_t>>
      bytes;                   ///< by core, then by part; of loads and atomics, which are waited for
  double bytes_per_cycle = 0;  ///< of a part; 0 = no limit
  std::uint64_t requests = 0, waited = 0;  ///< waited: found the part busy

  void add(std::uint32_t core, std::uint32_t part, std::size_t parts, std::uint64_t more, bool waits) {
    if (bytes.size() <= core) bytes.resize(core + 1);
    if (bytes[core].empty()) bytes[core].resize(parts);
    bytes[core][part] += more;
    ++requests;
    waited += waits ? 1 : 0;
  }
  /// Adds what other lanes were asked for.
  PartDemand& operator+=(const PartDemand& other) {
    if (bytes.size() < other.bytes.size()) bytes.resize(other.bytes.size());
    for (std::size_t core = 0; core < other.bytes.size(); ++core) {
      if (bytes[core].size() < other.bytes[core].size()) bytes[core].resize(other.bytes[core].size());
      std::transform(other.bytes[core].begin(), other.bytes[core].end(), bytes[core].begin(),
                     bytes[core].begin(), std::plus<>());
    }
    requests += other.requests;
    waited += other.waited;
    return *this;
  }
};

struct MemoryDemand {
  PartDemand slices, channels;  ///< channels: what is read
};

}  // namespace warpscope::timed
