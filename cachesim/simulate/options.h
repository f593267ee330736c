#pragma once
// The command line of cachesim.
#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/access_path.h"
#include "gpus/preset.h"
#include "scheduler/schedule.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// How a repetition (repeat.h) differs from what the options say.
struct Variation {
  std::optional<std::uint64_t> seed;  ///< of the schedule
  std::uint64_t layout_steps = 0;     ///< layout seeds after that of the options or of the stream
  bool random_placement = false;
  void apply(LayoutOptions& layout) const { layout.seed += layout_steps; }
  void apply(ScheduleOptions& schedule) const;
};

struct CommandLine {
  bool help = false;
  std::optional<std::string> shown;  ///< all there is to do: print this (--list-presets, --show-preset)
  bool coalesce_only = false;        ///< cachesim coalesce
  bool check_only = false;           ///< --check-options: the input is not read
  std::string input;
  std::optional<GpuPreset> preset;
  SimulationOptions simulation;
  std::string coalescing = "fermi";
  L1Takes takes = L1Takes::Everything;
  std::optional<StageRules> stages = StageRules{};  ///< absent = wavefronts are not counted
  std::optional<std::uint32_t> cores;               ///< as given
  std::uint32_t runs = 1;
  std::uint32_t repeat = 1;
  Variation variation;
  std::uint32_t threads = 1;        ///< of this machine
  std::optional<std::string> json;  ///< file; absent = none
  std::string output;               ///< of coalesce
  bool partial = false;
  std::size_t top = 10;
  bool lists_launches = true;                    ///< --launches: whether the result has launches[]
  boost::program_options::variables_map values;  ///< for the schedule options
};

/// Throws InputError for everything that is wrong with the options themselves.
CommandLine parse_command_line(int argc, char** argv);
/// Throws InputError when an option does not fit the kind of input.
void check_against_input(const CommandLine& command, FileKind kind);
/// What --launches says: true for all, the default. Throws InputError.
bool lists_launches(const boost::program_options::variables_map& values);
/// Text of --help, from the registries.
std::string help_text(bool coalesce_only);

}  // namespace warpscope
