// The runs of work-groups of a RUNS section.
#include <cstdlib>

#include "tests/fuzzers/fuzzer.h"
#include "traces/capture/runs/run_table.h"

namespace warpscope::fuzzing {

void fuzz_runs(Bytes input) {
  allow_refusal([&] {
    const RunTable table = decode_runs(input);
    const RunTable again = decode_runs(encode(table));
    if (again.numbers != table.numbers || again.runs.size() != table.runs.size()) std::abort();
  });
}

}  // namespace warpscope::fuzzing
