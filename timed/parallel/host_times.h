#pragma once
// What a simulation takes of the host's time, window by window: how well several threads could share it
// (benchmarks/perf/threads).
#include <chrono>
#include <functional>
#include <span>

namespace warpscope::timed {

/// Called after each window with the seconds that each core took and each lane of the memory, and those for what no thread shares.
using HostTimes =
    std::function<void(std::span<const double> cores, std::span<const double> lanes, double rest)>;

template <class Work>
double host_seconds_of(Work work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace warpscope::timed
