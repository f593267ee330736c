// What each core takes of this machine's time in each window of a timed simulation, for benchmarks/perf/threads.
#include <cstdio>

#include "gpus/preset.h"
#include "timed/request.h"
#include "timed/run_timed.h"
#include "tools/options/run_tool.h"

namespace warpscope::timed {
namespace {

/// A line for each window: microseconds of what no thread shares, then of each core, after a bar of each lane of the memory.
void print_windows(const char* capture, const char* gpu) {
  const GpuPreset preset = load_preset(gpu);
  TimedRequest request;
  request.input = capture;
  use_gpu(request, preset);
  use_gpu(request.schedule, preset);
  request.host_times = [](std::span<const double> cores, std::span<const double> lanes, double rest) {
    std::printf("%.3f", rest * 1e6);
    for (const double seconds : cores) std::printf(" %.3f", seconds * 1e6);
    std::printf(" |");
    for (const double seconds : lanes) std::printf(" %.3f", seconds * 1e6);
    std::printf("\n");
  };
  complete(request);
  run_timed(request);
}

}  // namespace
}  // namespace warpscope::timed

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("Usage: window_times CAPTURE GPU\n", stderr);
    return 2;
  }
  return warpscope::run_tool("window_times", [&] {
    warpscope::timed::print_windows(argv[1], argv[2]);
    return 0;
  });
}
