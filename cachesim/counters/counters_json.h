#pragma once
// Counters as JSON: the keys and their order are those of cachesim/access/counters.def.
#include <nlohmann/json.hpp>

#include "cachesim/counters/counts.h"

namespace warpscope {

/// With `stages`, what the stages of the L1 made of it, too.
nlohmann::ordered_json counters_json(const KindCounts& counts, bool stages);
nlohmann::ordered_json counters_json(const MissClasses& classes);
/// With `banks`, wavefronts and conflicts, too.
nlohmann::ordered_json counters_json(const OutsideCounts& counts, bool banks);
/// What a sweep counts once, as its transactions say it, and what it counts for each cache.
nlohmann::ordered_json traffic_json(const KindCounts& counts);
nlohmann::ordered_json outcome_json(const KindCounts& counts);

}  // namespace warpscope
