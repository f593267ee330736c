// A cubin, or what holds some: every table that we read, and the functions' attributes and lines.
#include "machine/cubin/cubin.h"

#include "machine/cubin/fat_binary.h"
#include "machine/cubin/ptx_text.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

void fuzz_cubin(Bytes input) {
  allow_refusal([&] {
    machine::DeviceContent content = machine::device_content(machine::ByteView(input, "input"));
    for (const std::vector<std::string>* lines : {&content.damaged, &content.others})
      for (const std::string& line : *lines)
        if (line.find('\n') != std::string::npos) std::abort();
    for (machine::DeviceImage& image : content.images) {
      if (image.kind == machine::ImageKind::Ptx) {
        (void)machine::read_ptx({reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size()});
        continue;
      }
      const machine::Cubin cubin(std::move(image.bytes), image.name);
      for (std::uint32_t number = 0; number < cubin.elf().sections().size(); ++number)
        (void)cubin.elf().relocations(number);
      if (cubin.compiler().size() + cubin.ptx_text().size() > input.size()) std::abort();
    }
  });
}

}  // namespace warpscope::fuzzing
