#pragma once
// cachesim INPUT --compare-generations: one stream on a GPU of every generation.
#include <string>
#include <vector>

namespace warpscope {

constexpr const char* kCompareGenerations = "--compare-generations";

/// One preset per generation, in the order of their years.
const std::vector<std::string>& generation_presets();

/// Runs `cachesim WORDS --preset G` for every G of --generations (default generation_presets()), prints the
/// tables and writes --json. `words`: the command line without the program's name. Returns the exit status.
/// Throws InputError.
int run_compare_generations(std::vector<std::string> words);

}  // namespace warpscope
