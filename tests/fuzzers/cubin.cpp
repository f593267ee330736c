// A cubin, or what holds some: every table that we read, and the functions' attributes and lines.
#include "machine/cubin/cubin.h"

#include "machine/cubin/fat_binary.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_cubin(Bytes input) {
  allow_refusal([&] {
    for (machine::DeviceImage& image : machine::device_images(machine::ByteView(input, "input"))) {
      if (image.kind != machine::ImageKind::Cubin) continue;
      const machine::Cubin cubin(std::move(image.bytes), image.name);
      for (std::uint32_t number = 0; number < cubin.elf().sections().size(); ++number)
        (void)cubin.elf().relocations(number);
      if (cubin.compiler().size() + cubin.ptx_text().size() > input.size()) std::abort();
    }
  });
}

}  // namespace warpscope::fuzzing
