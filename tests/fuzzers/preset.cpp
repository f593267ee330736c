// A GPU preset, as it is and with changes that other keys follow.
#include "gpus/preset_file.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_preset(Bytes input) {
  const InputFile file(input);
  for (const std::vector<PresetChange>& changes :
       {std::vector<PresetChange>{}, std::vector<PresetChange>{{"l1_ways", "8"}}})
    allow_refusal([&] { preset_text(read_preset_file(file.path(), changes)); });
}

}  // namespace warpscope::fuzzing
