#pragma once
// result.json, as RESULT.md defines it.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cachesim/counters/launch_entries.h"
#include "cachesim/counters/runs.h"
#include "cachesim/simulate/l1_simulator.h"
#include "gpus/preset.h"

namespace warpscope {

/// What the counters were counted from and with.
struct ResultContext {
  std::string input_name;  ///< without directories; "-" = standard input
  std::string input_kind;  ///< "capture", "binary stream", "text stream", "transaction stream"
  CacheConfig cache;
  std::string coalescing;
  std::optional<GpuPreset> preset;
  bool l1_of_preset = false;  ///< the cache is the preset's, so that its size tells the carve-out
  std::uint32_t cores = 1;
  std::uint64_t seed = 1;
  bool partial = false;
  bool classes = true;
  bool stages = false;  ///< whether the counts hold wavefronts and degrees
  bool banks = false;   ///< whether they hold those of local memory, for `profiler`; with stages they do
  bool reuse_histogram = false;
  bool by_source = false;
};

/// `lists_launches`: whether it has launches[] (--launches all). What the entries of launches need is kept in
/// the result, not copied: header and records share their contents.
ResultJson make_result(const ResultContext& context, const StreamHeader& header,
                       const SimulationResult& result, const std::optional<RunStatistics>& runs,
                       bool lists_launches = true);
/// Gives `total`, whose counts are `total`, what timed mode measured, and the profilers' counters that follow.
void set_total_timing(ResultJson& made, const ResultContext& context, const StreamHeader& header,
                      const Counts& total, nlohmann::ordered_json timing);
/// As a whole: for few launches.
nlohmann::ordered_json result_json(const ResultContext& context, const StreamHeader& header,
                                   const SimulationResult& result, const std::optional<RunStatistics>& runs);

}  // namespace warpscope
