// Any words as machine code of every architecture: decoded, printed, and their hazards looked for.
#include "machine/isa/hazards.h"
#include "machine/isa/printer.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_machine_words(Bytes input) {
  for (const std::uint32_t architecture : {70U, 75U, 80U, 86U, 89U, 90U}) {
    const machine::Decoder decoder(architecture);
    const std::vector<machine::Instruction> code = decoder.decode(input);
    for (const machine::Hazard& hazard : machine::hazards(decoder, code))
      if (hazard.second >= code.size() || hazard.first >= hazard.second) std::abort();
    for (const machine::Instruction& one : code) {
      if (machine::text_of(decoder, one).empty()) std::abort();
      machine::control_text(one.control());
    }
  }
}

}  // namespace warpscope::fuzzing
