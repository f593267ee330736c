#pragma once
// What was counted of one thing (a launch, an instruction, a buffer, all) in a result.
#include <nlohmann/json.hpp>

#include "cachesim/counters/counts.h"
#include "cachesim/result/result_json.h"

namespace warpscope {

/// Adds all counters, with those that `context` asks for.
void add_counts(nlohmann::ordered_json& json, const Counts& counts, const ResultContext& context);
nlohmann::ordered_json histogram_json(const ReuseHistogram& histogram);

}  // namespace warpscope
