// What cachesim infer reads: a table of observations, or a CSV of hw-profile.
#include "cachesim/infer/observation.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_observations(Bytes input) {
  const InputFile file(input);
  allow_refusal([&] { infer::observations_csv(infer::read_plan(file.path()).rows, ""); });
  allow_refusal([&] { infer::read_observations(file.path()); });
}

}  // namespace warpscope::fuzzing
