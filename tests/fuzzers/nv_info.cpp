// The attributes of a kernel, as a section .nv.info has them.
#include "machine/cubin/nv_info.h"

#include <cstdlib>

#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_nv_info(Bytes input) {
  allow_refusal([&] {
    for (const machine::InfoRecord& record : machine::read_info(machine::ByteView(input, "input"))) {
      if (record.bytes.size() > input.size()) std::abort();
      for (std::size_t index = 0; index < record.words(); ++index) (void)record.word(index);
    }
  });
}

}  // namespace warpscope::fuzzing
