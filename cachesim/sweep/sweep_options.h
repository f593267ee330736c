#pragma once
// The command line of `cachesim sweep`.
#include "cachesim/simulate/options.h"
#include "cachesim/sweep/sweep_space.h"

namespace warpscope {

struct SweepCommand {
  bool help = false;
  std::optional<std::string> shown;  ///< the answer to --list-presets and --show-preset
  std::string input;
  std::optional<GpuPreset> preset;
  std::optional<CacheConfig> preset_cache;  ///< the hardware's own point
  SweepConfigurations configurations;       ///< without that point where it is not among those listed
  std::string coalescing = "fermi";
  L1Takes takes = L1Takes::Everything;
  bool keep_l1 = false, partial = false, classes = false;
  std::uint32_t threads = 1;
  std::optional<std::string> json, csv;  ///< files; absent = none
  std::size_t top = 10;
  boost::program_options::variables_map values;  ///< for the schedule options
};

/// `arguments`: what follows `cachesim sweep`. Throws InputError for everything that is wrong with the
/// options.
SweepCommand parse_sweep_command(const std::vector<std::string>& arguments);
/// Throws InputError when an option does not fit the kind of input.
void check_against_input(const SweepCommand& command, FileKind kind);
std::string sweep_help();

}  // namespace warpscope
