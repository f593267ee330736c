#pragma once
// From an input file to results: who reads it, in how many threads.
#include <cstdint>
#include <optional>
#include <vector>

#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/simulate/request.h"

namespace warpscope {

struct Fed {
  bool partial = false;    ///< the input was cut short
  nlohmann::json skipped;  ///< launches that the GPU cannot run (scheduler/skipped_launches.h)
};

/// Feeds the accesses of a capture or a stream of warp accesses to `sink`. Throws InputError.
Fed feed_accesses(const SimulationRequest& request, FileKind kind, WarpAccessSink& sink);

struct Simulated {
  std::vector<SimulationResult> runs;  ///< one per random choice, request.runs of them
  TransactionHeader header;
  bool partial = false;                      ///< the input was cut short
  std::optional<std::uint64_t> work_groups;  ///< chosen per run
};

/// Simulates the input of a complete request. The cores of captures and transaction stream files are shared among
/// request.threads threads; whatever their number, the results are the same. Throws InputError.
Simulated simulate(const SimulationRequest& request, FileKind kind);

}  // namespace warpscope
