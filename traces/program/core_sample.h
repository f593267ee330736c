#pragma once
// Which cores of a GPU stand for all of them in fixed order, where no core sees another: drawn at random, those with more of
// the NDRange's edge apart from the others.
#include <cstdint>
#include <map>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/group_selection.h"

namespace warpscope {

/// Fewer cores than this are no sample: the variance of so few is not known well enough.
constexpr std::uint32_t kLeastSampledCores = 6;

/// Cores of one sort, each of which has the same chance to be drawn.
struct CoreStratum {
  std::vector<std::uint32_t> cores;  ///< ascending
};

/// How many launches have how many work-groups in each dimension.
using LaunchShapes = std::map<Dim3, std::uint64_t>;

/// One stratum of all cores that get work-groups, or two: where edges are dealt out unevenly, cores with clearly more work-groups of an edge of the NDRange
/// than the median core are one of their own, because work-groups there often load less. Work-group i goes to core i mod
/// `cores`. An edge is the first and the last row of a dimension of at least three work-groups.
std::vector<CoreStratum> core_strata(const LaunchShapes& launches, std::uint32_t cores);

/// Draws `count` cores (kLeastSampledCores … cores), of each stratum its share, but at least two, or all where it has no more.
/// Same strata, count and seed, same cores.
SampledCores draw_cores(const std::vector<CoreStratum>& strata, std::uint32_t count, std::uint64_t seed);

}  // namespace warpscope
