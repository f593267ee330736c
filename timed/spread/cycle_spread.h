#pragma once
// How far the cycles of a launch lie apart from draw to draw of the cores, as far as one draw tells.
#include <cstdint>
#include <string>
#include <vector>

#include "timed/issue/core_counts.h"
#include "timed/memory/demand.h"
#include "traces/program/group_selection.h"

namespace warpscope::timed {

/// A launch takes as long as its last core. Two things in it depend on the draw. Which core is last: the ends of cores with as many
/// work-groups scatter, and the greatest of m values less than one of them. How long all of them wait: the busiest slice of the L2, or channel of the DRAM, is
/// busy for another time with the lines of other cores, and all that comes to it later waits for that. Its time is drawn again from what each core
/// asked of each part (rescaling bootstrap: J. Rao and C. Wu, Journal of the American Statistical Association 83, 1988, 231). Either, and
/// what no draw shows, is smaller by the share of the cores that were drawn: with all of them there is none.
struct CycleSpread {
  double ends = 0, ends_freedom = 1;      ///< standard deviation, cycles; degrees of freedom
  double memory = 0, memory_freedom = 1;  ///< the same
  double least = 0;                       ///< supposed: cycles of launches that do the same work differ by it
  double rest = 1;                        ///< 1 - drawn cores / all cores
  std::string refused;                    ///< why nothing is known; empty: it is
  /// Half of the 95 % interval.
  [[nodiscard]] double half() const;
};

/// Of the simulation of `drawn`, which took `cycles`: what they counted, in order, and asked of the memory.
CycleSpread cycle_spread(Cycle cycles, const std::vector<CoreCounts>& cores, const MemoryDemand& demand,
                         const SampledCores& drawn);

/// Why the end of a launch of `groups` work-groups, of which a core holds `slots` at once, was not seen: some cores have one more from
/// the start on, and none of `drawn` does. Empty if it was.
std::string unseen_end(std::uint64_t groups, std::uint32_t slots, const SampledCores& drawn);

/// Standard deviation of the greatest of `count` (at least 1) values with a standard normal distribution.
double deviation_of_greatest(std::size_t count);

/// Standard deviation of the greatest of the parts' sums over the cores, from draw to draw of so many cores out of ever so many. `bytes`, by core
/// and part, are in proportion to `work`, by core (above 0).
double deviation_of_busiest(const std::vector<std::vector<std::uint64_t>>& bytes,
                            const std::vector<double>& work);

}  // namespace warpscope::timed
