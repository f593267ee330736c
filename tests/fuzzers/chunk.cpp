// A work-group chunk. The first byte says how many sites the kernel has, the next two which carry addresses.
#include <cstdlib>
#include <vector>

#include "tests/fuzzers/fuzzer.h"
#include "traces/capture/runs/group_form.h"
#include "traces/program/shared_group.h"
#include "traces/program/work_group_trace.h"

namespace warpscope::fuzzing {

void fuzz_chunk(Bytes input) {
  constexpr std::size_t kPrefix = 3;
  if (input.size() < kPrefix) return;
  std::vector<bool> carries_address(input[0] % 17);
  for (std::size_t site = 0; site < carries_address.size(); ++site)
    carries_address[site] = (input[1 + site / 8] >> (site % 8) & 1) != 0;
  allow_refusal([&] {
    static_cast<void>(decode(input.subspan(kPrefix), LaunchId(0), WorkGroupId(0), carries_address));
  });
  // A work-group that is repeated without being moved is itself.
  allow_refusal([&] {
    const auto form = GroupForm::of({input.begin() + kPrefix, input.end()}, carries_address);
    std::vector<std::uint64_t> numbers(form.places.size());
    std::vector<std::uint8_t> again;
    if (form.read(form.payload, numbers) && (!form.write(numbers, again) || again != form.payload))
      std::abort();
  });
  // Both halves of the input after the whole: they may begin like what is known.
  FormMemory memory;
  const Bytes payload = input.subspan(kPrefix);
  for (const Bytes part :
       {payload, payload, payload.first(payload.size() / 2), payload.subspan(payload.size() / 2)})
    allow_refusal(
        [&] { static_cast<void>(decode(part, LaunchId(0), WorkGroupId(0), carries_address, memory)); });
}

}  // namespace warpscope::fuzzing
