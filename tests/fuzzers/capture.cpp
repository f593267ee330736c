// A capture: header, index, chunks, and the walk of every work-item, as trace-check and trace-view do it, also with --faults.
#include <vector>

#include "tests/fuzzers/few_groups.h"
#include "tests/fuzzers/fuzzer.h"
#include "traces/capture/invariants.h"
#include "traces/capture/reader.h"
#include "traces/capture/summary.h"
#include "traces/faults/faults.h"

namespace warpscope::fuzzing {
namespace {

void read_capture(const std::string& path, bool partial) {
  const CaptureReader capture(path, partial);
  if (!has_few_groups(capture)) return;
  check_capture(capture);
  std::vector<const LaunchInfo*> launches;
  for (const LaunchInfo& launch : capture.launches()) {
    summarize(capture, launch);
    launches.push_back(&launch);
  }
  find_faults(capture, launches, 32);
}

}  // namespace

void fuzz_capture(Bytes input) {
  const InputFile file(input);
  allow_refusal([&] { read_capture(file.path(), false); });
  allow_refusal([&] { read_capture(file.path(), true); });
}

}  // namespace warpscope::fuzzing
