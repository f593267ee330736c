#pragma once
// What a simulation is asked for. Defaults are those of `cachesim INPUT 16 128 4 LRU WTNA`.
#include <cstdint>
#include <optional>
#include <string>

#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/simulate/launch_count.h"
#include "cachesim/transactions/access_path.h"
#include "gpus/preset.h"
#include "scheduler/schedule.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// How a repetition (repeat.h) differs from what is asked for.
struct Variation {
  std::optional<std::uint64_t> seed;  ///< seed of the schedule
  std::uint64_t layout_steps = 0;     ///< layout seeds after that of the request or of the stream
  bool random_placement = false;
  void apply(LayoutOptions& layout) const { layout.seed += layout_steps; }
  void apply(ScheduleOptions& schedule) const;
};

struct SimulationRequest {
  std::string input;     ///< path of a capture, a stream or a transaction stream; "-" = standard input
  bool partial = false;  ///< an input that was cut short is taken up to its last intact part
  SimulationOptions simulation;         ///< the cache, and what is counted
  std::string coalescing = "fermi";     ///< a name of coalescing_rules(); not for transaction streams
  L1Takes takes = L1Takes::Everything;  ///< what looks the L1 up; the rest bypasses it
  std::optional<StageRules> stages = StageRules{};  ///< absent = wavefronts are not counted
  std::optional<GpuPreset> preset;                  ///< set by use_gpu(); named in the result
  bool cache_of_preset = false;  ///< the cache is the preset's: local memory takes its part of it
  ScheduleOptions schedule;      ///< for captures; its `launches` choose from streams, too
  /// Of a text stream, which names none: a run gets the work-groups of one of them. Absent = 1.
  std::optional<std::uint32_t> cores;
  std::uint32_t runs = 1;                      ///< 1 … 10,000; the cache's seed is one higher in each
  std::optional<LaunchCount> sample_launches;  ///< for captures, drawn with schedule.seed; absent = all
  std::uint32_t repeat = 1;                    ///< 1 … 10,000 simulations; not with `runs` (repeat.h)
  Variation variation;                         ///< what this repetition varies
  std::uint32_t threads = 1;                   ///< host threads, 1 … 1024; the results do not depend on it
  bool lists_launches = true;                  ///< whether the result has launches[]
};

/// L1, coalescing rule and wavefronts of the GPU, as defaults: what is set afterwards replaces them. The
/// schedule has a use_gpu() of its own. A GPU without L1 leaves the cache as it is: nothing reaches it.
void use_gpu(SimulationRequest& request, const GpuPreset& gpu);
/// Puts the current names for old ones and fills in what follows from the rest: simulation.cache_of and the
/// line size of the stages. Throws InputError for everything that is wrong whatever the input is.
void complete(SimulationRequest& request);
/// Throws InputError for an input that cannot be simulated.
void require_simulable(const std::string& input, FileKind kind);
/// Throws InputError where a complete request does not fit the kind of its input.
void check_against_input(const SimulationRequest& request, FileKind kind);
/// Why a stream that says which core makes each access takes no number of cores.
[[noreturn]] void refuse_cores(const std::string& input);

}  // namespace warpscope
