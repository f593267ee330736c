#pragma once
// What a sweep is asked for.
#include <cstdint>
#include <optional>
#include <string>

#include "cachesim/sweep/sweep_space.h"
#include "cachesim/transactions/access_path.h"
#include "gpus/preset.h"
#include "scheduler/schedule.h"
#include "traces/stream/stream.h"

namespace warpscope {

struct SweepRequest {
  std::string input;     ///< path of a capture, a stream or a transaction stream; "-" = standard input
  bool partial = false;  ///< an input that was cut short is taken up to its last intact part
  SweepConfigurations configurations;  ///< from expand(); without the GPU's own cache if it is not listed
  std::optional<GpuPreset> preset;     ///< set by use_gpu(); named in the result
  std::optional<CacheConfig> preset_cache;  ///< the GPU's own cache: a further point, if it has one
  std::string coalescing = "fermi";         ///< a name of coalescing_rules(); not for transaction streams
  L1Takes takes = L1Takes::Everything;      ///< what looks the L1 up; the rest bypasses it
  bool keep_l1 = false;                     ///< launches do not invalidate the caches
  bool classes = false;                     ///< miss classes: every cache is simulated by itself
  ScheduleOptions schedule;                 ///< for captures; its `launches` choose from streams, too
  bool sets_cores = false;    ///< schedule.cores is asked for; a stream says itself which core it is
  std::uint32_t threads = 1;  ///< host threads, 1 … 1024; the results do not depend on it
};

/// Coalescing rule and own cache of the GPU, as defaults. The schedule has a use_gpu() of its own. Throws
/// InputError when the GPU's cache cannot be simulated.
void use_gpu(SweepRequest& request, const GpuPreset& gpu);
/// Throws InputError where the request does not fit the kind of its input.
void check_against_input(const SweepRequest& request, FileKind kind);

}  // namespace warpscope
