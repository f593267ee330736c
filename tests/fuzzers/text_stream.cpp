// A text stream of warp accesses (Crawford 2014, listing 5.3).
#include "tests/fuzzers/simulate.h"
#include "traces/stream/stream.h"

namespace warpscope::fuzzing {

void fuzz_text_stream(Bytes input) {
  const InputFile file(input);
  allow_refusal([&] {
    BoundedSimulation simulation;
    read_stream(file.path(), simulation);
  });
}

}  // namespace warpscope::fuzzing
