#include "cachesim/simulate/request.h"

#include <fmt/format.h>

#include "cachesim/access/coalescer.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/preset_cache.h"
#include "scheduler/assignment.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

bool draws_random_numbers(const SimulationRequest& request) {
  return replacement_policy(request.simulation.cache.replacement).random;
}

void check_text_stream(const SimulationRequest& request) {
  if (request.runs > 1 && request.cores.value_or(1) == 1 && !draws_random_numbers(request))
    throw InputError(
        "--runs: with one core every work-group is simulated and nothing is random, expected --cores N or "
        "random replacement");
}

}  // namespace

void Variation::apply(ScheduleOptions& schedule) const {
  if (seed) schedule.seed = *seed;
  if (random_placement) schedule.assignment = "random";
  apply(schedule.layout);
}

void use_gpu(SimulationRequest& request, const GpuPreset& gpu) {
  request.preset = gpu;
  request.cache_of_preset = true;
  request.coalescing = gpu.coalescing;
  request.stages = stage_rules(gpu);
  request.takes = preset_takes(gpu);
  if (gpu.l1_size_kib != 0) request.simulation.cache = preset_cache(gpu);
}

void complete(SimulationRequest& request) {
  CacheConfig& cache = request.simulation.cache;
  cache.set_index = set_index(cache.set_index).name;
  request.coalescing = coalescing_rule(request.coalescing).name;
  validate(cache);
  if (request.stages) request.stages->line_bytes = cache.line_bytes;
  if (request.cache_of_preset)
    request.simulation.cache_of = launch_cache(*request.preset, cache, request.schedule.registers);
  require_assignment(request.schedule.assignment);
}

void require_simulable(const std::string& input, FileKind kind) {
  if (kind != FileKind::CrawfordTrace && kind != FileKind::Unknown && kind != FileKind::Empty) return;
  const std::string found = kind == FileKind::Empty           ? "is empty"
                            : kind == FileKind::CrawfordTrace ? "is a " + input_kind_name(kind)
                                                              : "unrecognised file format";
  throw InputError(
      fmt::format("{}: {}, expected a capture, a stream of warpsched or a transaction stream", input, found));
}

void refuse_cores(const std::string& input) {
  throw InputError(
      fmt::format("--cores: {} says which core makes each access, expected a text stream or a capture; "
                  "give the option to warpsched",
                  input));
}

void check_against_input(const SimulationRequest& request, FileKind kind) {
  require_simulable(request.input, kind);
  if (kind == FileKind::Capture) {
    if (request.runs > 1 && !draws_random_numbers(request))
      throw InputError(
          "--runs: a schedule says which core makes each access, so only random replacement can differ "
          "between runs; expected Rand, or run warpsched again with another --seed");
    return;
  }
  if (kind == FileKind::TransactionStream && request.simulation.by_source)
    throw InputError(fmt::format(
        "--reuse-by-source: {} does not say which lanes made its transactions, expected a capture or "
        "a stream of warpsched",
        request.input));
  if (kind == FileKind::TextStream) return check_text_stream(request);
  if (request.cores) refuse_cores(request.input);
  if (request.runs > 1 && !draws_random_numbers(request))
    throw InputError(
        fmt::format("--runs: {} says which core makes each access, so only random replacement can differ "
                    "between runs; expected Rand, or run warpsched again with another --seed",
                    request.input));
}

}  // namespace warpscope
