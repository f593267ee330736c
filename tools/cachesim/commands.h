#pragma once
// What cachesim can do. Each takes the words after its name, returns the exit status and throws InputError.
#include <string>
#include <vector>

namespace warpscope {

int run_simulate_command(const std::vector<std::string>& words);
/// cachesim coalesce
int run_coalesce_command(const std::vector<std::string>& words);
constexpr const char* kCompareGenerations = "--compare-generations";
/// A simulation with that option, which `words` holds somewhere.
int run_compare_command(std::vector<std::string> words);
/// cachesim sweep
int run_sweep_command(const std::vector<std::string>& words);

}  // namespace warpscope

namespace warpscope::infer {
/// cachesim infer
int run_infer_command(const std::vector<std::string>& words);
}  // namespace warpscope::infer

namespace warpscope::timed {
/// cachesim timed
int run_timed_command(const std::vector<std::string>& words);
}  // namespace warpscope::timed
