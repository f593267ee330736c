// Any words as machine code of every architecture: decoded and printed.
#include "machine/isa/printer.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_machine_words(Bytes input) {
  for (const std::uint32_t architecture : {70U, 75U, 80U, 86U, 89U, 90U}) {
    const machine::Decoder decoder(architecture);
    for (const machine::Instruction& one : decoder.decode(input)) {
      if (machine::text_of(decoder, one).empty()) std::abort();
      machine::control_text(one.control());
    }
  }
}

}  // namespace warpscope::fuzzing
