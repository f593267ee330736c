#pragma once
// One stream on a GPU of every generation.
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cachesim/simulate/request.h"

namespace warpscope {

/// One preset per generation, in the order of their years.
const std::vector<std::string>& generation_presets();

/// Simulates every request: complete, of the same input, each with the preset of another GPU. What is asked
/// for besides the GPU is the same in all; `runs` and `repeat` are 1. The result is that of
/// `cachesim --compare-generations --json` (docs/tools/cachesim.md). A GPU that cannot run the input
/// is among its `refused`. Throws InputError when none can.
nlohmann::ordered_json compare_generations(const std::vector<SimulationRequest>& requests, FileKind kind);

/// The tables of the terminal, from what compare_generations() returned.
void write_generations_report(const nlohmann::ordered_json& comparison, std::ostream& out);

}  // namespace warpscope
