#pragma once
// Captures of programs that launch small kernels many thousand times, as iterative solvers do.
#include <array>
#include <string>
#include <vector>

#include "tests/unit/traces/samples.h"

namespace warpscope::testing {

/// `count` launches of the kernels first, second, third, first, …, each of one work-group of 8 work-items,
/// with the number of the launch as an argument. Every hundredth launch of a kernel has other accesses.
inline void write_many_launches(const std::string& path, std::uint32_t count) {
  constexpr std::array kNames = {"first", "second", "third"};
  CaptureWriter writer(path, {.options_text = "many launches"});
  for (const BufferInfo& buffer : sample_buffers()) writer.add_buffer(buffer);
  std::vector<LaunchInfo> kinds;
  std::vector<WorkGroupTrace> traces;
  for (std::uint32_t kind = 0; kind < 2 * kNames.size(); ++kind) {
    Random random(kind + 1);
    kinds.push_back(sample_launch(kind, 1, 8));
    kinds.back().kernel.edit().name = kNames[kind % kNames.size()];
    traces.push_back(random_trace(random, 0, 0, 8));
  }
  for (std::uint32_t number = 0; number < count; ++number) {
    const std::uint32_t kernel = number % kNames.size();
    LaunchInfo launch = kinds[kernel];
    launch.id = LaunchId(number);
    launch.arguments.edit()[1].value = std::to_string(number);
    writer.add_launch(launch, number < kNames.size() ? std::nullopt : std::optional(LaunchId(kernel)));
    const bool is_other = number / kNames.size() % 100 == 99;
    WorkGroupTrace trace = traces[kernel + (is_other ? kNames.size() : 0)];
    trace.launch = launch.id;
    writer.add_work_group(launch.id, WorkGroupId(0), encode(trace));
  }
  writer.finish();
}

}  // namespace warpscope::testing
