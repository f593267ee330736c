#pragma once
// Which cores of a GPU stand for all of them in fixed order, where no core sees another: drawn at random, those with more of
// the NDRange's edge apart from the others.
#include <cstdint>
#include <map>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

/// Fewer cores than this are no sample: the variance of so few is not known well enough.
constexpr std::uint32_t kLeastSampledCores = 6;

/// Cores of one sort, ascending, each of which has the same chance to be drawn.
using CoreStratum = std::vector<std::uint32_t>;

/// How work-groups come to cores: work-group i to core i mod cores, or in equal shares at random, so that no core gets more of an edge
/// than another by its place.
enum class CorePlacement { InTurn, Random };

/// How many launches have how many work-groups in each dimension.
using LaunchShapes = std::map<Dim3, std::uint64_t>;

/// One stratum of all cores that get work-groups, or two: where edges are dealt out unevenly, cores with clearly more work-groups of
/// an edge of the NDRange than the median core are one of their own, because work-groups there often load less. An edge is the first
/// and the last row of a dimension of at least three work-groups.
std::vector<CoreStratum> core_strata(const LaunchShapes& launches, std::uint32_t cores,
                                     CorePlacement placement = CorePlacement::InTurn);

/// Draws `count` cores (kLeastSampledCores … cores), of each stratum its share, but at least two, or all where it has no more.
/// Same strata, count and seed, same cores.
std::vector<std::uint32_t> draw_cores(const std::vector<CoreStratum>& strata, std::uint32_t count,
                                      std::uint64_t seed);

}  // namespace warpscope
