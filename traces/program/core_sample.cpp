#include "traces/program/core_sample.h"

#include <algorithm>

#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

/// More work-groups than this are not looked at one by one; no GPU's core is special among so many.
constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 28;

constexpr bool is_edge(std::uint64_t position, std::uint64_t extent) {
  return extent >= 3 && (position == 0 || position + 1 == extent);
}

/// Adds, per core, how many work-groups of an edge it gets of `times` launches of this shape.
void add_edges(const Dim3& groups, std::uint64_t times, std::vector<std::uint64_t>& edges) {
  const std::uint64_t cores = edges.size();
  for (std::uint64_t row = 0; row < groups.y * groups.z; ++row) {
    const std::uint64_t first = row * groups.x;
    if (is_edge(row % groups.y, groups.y) || is_edge(row / groups.y, groups.z)) {
      for (std::uint64_t x = 0; x < groups.x; ++x) edges[(first + x) % cores] += times;
    } else if (groups.x >= 3) {
      edges[first % cores] += times;
      edges[(first + groups.x - 1) % cores] += times;
    }
  }
}

/// Of the stratum, which has at least `count` cores.
void draw_of(const CoreStratum& stratum, std::uint64_t count, SplitMix64& random,
             std::vector<std::uint32_t>& drawn) {
  std::vector<std::uint32_t> order = stratum;
  shuffle(order, random);
  drawn.insert(drawn.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

std::vector<CoreStratum> core_strata(const LaunchShapes& launches, std::uint32_t cores,
                                     CorePlacement placement) {
  std::uint64_t most = 0, all = 0;
  for (const auto& [groups, times] : launches) {
    most = std::max(most, groups.count());
    all += groups.count();
  }
  const auto busy = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, cores));
  std::vector<std::uint64_t> edges(cores);
  if (placement == CorePlacement::InTurn && all <= kMostGroups)
    for (const auto& [groups, times] : launches) add_edges(groups, times, edges);
  edges.resize(busy);
  std::vector<std::uint64_t> sorted = edges;
  std::sort(sorted.begin(), sorted.end());
  // Dealing out in turn makes a difference of one by itself; a tenth is not worth a stratum.
  const std::uint64_t usual = busy == 0 ? 0 : sorted[busy / 2];
  const std::uint64_t most_usual = usual + std::max<std::uint64_t>(1, usual / 10);
  const bool is_uneven = busy != 0 && sorted.back() > most_usual;
  std::vector<CoreStratum> strata(is_uneven ? 2 : 1);
  for (std::uint32_t core = 0; core < busy; ++core)
    strata[is_uneven && edges[core] > most_usual ? 1 : 0].push_back(core);
  return strata;
}

std::vector<std::uint32_t> draw_cores(const std::vector<CoreStratum>& strata, std::uint32_t count,
                                      std::uint64_t seed) {
  if (count < kLeastSampledCores) throw InputError("a sample of fewer than 6 cores");
  std::uint64_t busy = 0;
  for (const CoreStratum& stratum : strata) busy += stratum.size();
  SplitMix64 random(seed);
  std::vector<std::uint32_t> sample;
  if (count >= busy) {
    for (const CoreStratum& stratum : strata) draw_of(stratum, stratum.size(), random, sample);
  } else if (strata.size() == 1) {
    draw_of(strata[0], count, random, sample);
  } else {
    const std::uint64_t second = strata[1].size(), first = busy - second;
    const std::uint64_t share = (2 * count * second + busy) / (2 * busy);  // rounded
    // Two of either, as far as there are two: one alone has no variance. Neither gives more than it has.
    const std::uint64_t of_second = std::clamp(
        share, std::max(std::min<std::uint64_t>(2, second), count - std::min<std::uint64_t>(count, first)),
        std::min(second, count - std::min<std::uint64_t>(2, first)));
    draw_of(strata[1], of_second, random, sample);
    draw_of(strata[0], count - of_second, random, sample);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace warpscope
