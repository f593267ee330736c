// A transaction stream: all cores, one of two shares, and cut short.
#include "cachesim/transactions/transaction_file.h"
#include "tests/fuzzers/simulate.h"

namespace warpscope::fuzzing {

void fuzz_transactions(Bytes input) {
  const InputFile file(input);
  const auto read = [&](bool partial, CoreShare share) {
    allow_refusal([&] {
      L1Simulator simulator(checked_simulation());
      read_transactions(file.path(), simulator, partial, share);
    });
  };
  read(false, {});
  read(false, {1, 2});
  read(true, {});
}

}  // namespace warpscope::fuzzing
