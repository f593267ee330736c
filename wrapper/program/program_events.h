#pragma once
// What the layer wrote about a process's launches (Session), and how people read it.
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "traces/capture/capture_finish.h"
#include "wrapper/recording/kernel_fault.h"

namespace warpscope {

struct LaunchRow {
  LaunchId launch;
  std::string kernel;
  Dim3 global, local;
  std::uint64_t groups = 0;                     ///< number of work-groups to record
  std::uint64_t recorded = 0;                   ///< work-groups
  bool has_ended = false;                       ///< what follows is known
  bool has_run = true;                          ///< false: an event that it waited for failed
  std::map<std::string, std::uint64_t> counts;  ///< "global loads" → executions
  double seconds = 0;
  double untraced_seconds = 0;  ///< 0 = not measured
  std::uint64_t bytes = 0;      ///< size of its work-groups before compression
  std::string failure;
  bool is_of_program = false;  ///< the failure is an error that the program gets untraced, too
};

/// Accesses outside of every buffer at one place of the source.
struct OutsideNote {
  std::string text;            ///< text for the first such launch
  std::uint64_t launches = 0;  ///< number of such launches
};

struct ProcessEvents {
  std::map<std::string, OutsideNote> outside;  ///< notes by place
  std::vector<LaunchRow> launches;
  std::vector<std::string> untraced, warnings;
  nlohmann::json notes;                  ///< for the capture's NOTE section; null: nothing
  std::vector<KernelFault> faults;       ///< the first of each launch
  bool has_capture = false;              ///< whether it opened its capture: then NAME.part is its own
  std::vector<std::string> passed_over;  ///< kernels that --launch or --kernel did not choose
};

/// What a process counted of its launches.
struct LaunchCounts {
  std::uint64_t launches = 0;      ///< number of all launches
  std::uint64_t beyond_limit = 0;  ///< chosen, but beyond --max-launches
  std::uint64_t untraced = 0;      ///< chosen, but of kernels that cannot be traced
};
/// Zeros where there is no such file.
LaunchCounts read_launch_counts(const std::string& path);

/// Number of launches of all processes of the session's `directory`.
std::uint64_t launch_count(const std::string& directory);

/// A line for who has waited `since` the start (at least 10 s, or minutes round to nothing) for a program that made so many launches; empty without one.
std::string how_to_take_less(std::uint64_t launches, std::chrono::seconds since);

/// Reads events.jsonl of a process; a line that was cut off is left out.
ProcessEvents read_events(const std::string& path);

/// The launches as a table; many are summed up per kernel.
std::string launch_table(const std::vector<LaunchRow>& launches);

}  // namespace warpscope
