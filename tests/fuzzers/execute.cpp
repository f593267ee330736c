// A cubin, perhaps damaged, whose first kernel is described and executed for a few instructions: it may fault, and touches nothing but its buffers.
#include <cstring>
#include <vector>

#include "machine/describe/describe_kernel.h"
#include "machine/execute/base/fault.h"
#include "machine/execute/launch.h"
#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {
namespace {

constexpr std::uint64_t kInstructions = 20000;
constexpr std::size_t kBufferBytes = 4096, kMostParameters = 64;

/// A buffer for each parameter of 8 bytes, a small number for all others.
void execute(const machine::Cubin& cubin, const machine::Function& kernel, std::uint64_t resident) {
  const machine::Code code(cubin, kernel);
  const machine::CodeFlow flow(code);
  (void)machine::describe_kernel(code, flow);
  if (kernel.parameters.size() > kMostParameters) return;
  std::vector<std::vector<std::uint8_t>> buffers(kernel.parameters.size());
  machine::DeviceMemory memory;
  machine::LaunchSettings settings;
  settings.parameters.resize(kernel.parameter_bytes);
  for (std::size_t number = 0; number < buffers.size(); ++number) {
    const machine::KernelParameter& place = kernel.parameters[number];
    buffers[number].assign(kBufferBytes, 7);
    const std::uint64_t value =
        place.bytes == 8
            ? memory.add(buffers[number].data(), kBufferBytes, static_cast<std::uint32_t>(number)).address
            : number + 3;
    if (place.bytes <= sizeof value &&
        std::uint64_t{place.offset} + place.bytes <= settings.parameters.size())
      std::memcpy(settings.parameters.data() + place.offset, &value, place.bytes);
  }
  settings.groups = {2, 1, 1};
  settings.local = {64, 1, 1};
  settings.dynamic_shared_bytes = kBufferBytes;
  settings.instruction_limit = kInstructions;
  settings.resident_groups = resident;
  machine::Launch launch(code, memory, settings);
  launch.run();
}

}  // namespace

void fuzz_execute(Bytes input) {
  allow_refusal([&] {
    const machine::Cubin cubin({input.begin(), input.end()}, "input");
    for (const machine::Function& function : cubin.functions()) {
      if (!function.is_kernel) continue;
      for (const std::uint64_t resident : {1U, 2U}) try {
          execute(cubin, function, resident);
        } catch (const machine::ExecutionFault&) {
        }
      return;
    }
  });
}

}  // namespace warpscope::fuzzing
