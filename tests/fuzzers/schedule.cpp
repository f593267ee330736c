// A capture's replay: what passes the checksums drives the warps of two cores and their caches.
#include "scheduler/schedule.h"

#include "tests/fuzzers/few_groups.h"
#include "tests/fuzzers/simulate.h"
#include "traces/capture/reader.h"

namespace warpscope::fuzzing {
namespace {

void replay(const std::string& path, const std::string& reconvergence) {
  const CaptureReader capture(path, true);
  if (!has_few_groups(capture)) return;
  ScheduleOptions options;
  options.cores = 2;
  options.self_check = true;
  options.reconvergence = reconvergence;
  BoundedSimulation simulation;
  run_schedule(capture, options, simulation);
}

}  // namespace

void fuzz_schedule(Bytes input) {
  const InputFile file(input);
  for (const char* reconvergence : {"ipdom", "loops"})
    allow_refusal([&] { replay(file.path(), reconvergence); });
}

}  // namespace warpscope::fuzzing
