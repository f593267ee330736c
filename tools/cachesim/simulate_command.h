#pragma once
// The command line of a simulation, and of `cachesim coalesce`, which takes a part of it.
#include <optional>
#include <string>
#include <vector>

#include "cachesim/simulate/request.h"
#include "tools/options/option_values.h"

namespace warpscope {

enum class Purpose : std::uint8_t { Simulate, Coalesce };

/// The words taken apart. Throws boost::program_options::error.
OptionValues simulation_values(const std::vector<std::string>& words, Purpose purpose);
/// Whether --help or the like is there.
bool asks_about_options(const OptionValues& values);
/// The complete request of what the words ask for, on `gpu` if there is one. Throws InputError for everything
/// that is wrong with the options themselves.
SimulationRequest simulation_request(const OptionValues& values, const std::optional<GpuPreset>& gpu,
                                     Purpose purpose);

struct SimulateCommand {
  std::optional<std::string> shown;  ///< if present, only print this (--list-presets, --show-preset)
  bool check_only = false;           ///< --check-options: the input is not read
  OptionValues values;
  SimulationRequest request;        ///< complete unless asks_about_options() or `shown`
  std::optional<std::string> json;  ///< file; absent = none
  std::size_t top = 10;             ///< rows of the tables
  std::string output;               ///< output file of coalesce
};
/// Throws as simulation_values() and simulation_request().
SimulateCommand simulate_command_from(const std::vector<std::string>& words, Purpose purpose);

}  // namespace warpscope
