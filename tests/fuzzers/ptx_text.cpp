// PTX text, as cubins keep it: what it says of kernels is in it.
#include "machine/cubin/ptx_text.h"

#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_ptx_text(Bytes input) {
  const std::string text(input.begin(), input.end());
  std::size_t named = machine::ptx_target(text).size();
  for (const machine::PtxKernel& kernel : machine::read_ptx(text)) {
    named += kernel.name.size();
    for (const machine::PtxParameter& parameter : kernel.parameters) named += parameter.name.size();
  }
  if (named > 2 * text.size()) std::abort();
}

}  // namespace warpscope::fuzzing
