// A stream of warp accesses, whole and cut short.
#include "traces/stream/stream.h"

#include "tests/fuzzers/simulate.h"

namespace warpscope::fuzzing {

void fuzz_stream(Bytes input) {
  const InputFile file(input);
  for (const bool partial : {false, true}) {
    allow_refusal([&] {
      BoundedSimulation simulation;
      read_stream(file.path(), simulation, partial);
    });
  }
}

}  // namespace warpscope::fuzzing
