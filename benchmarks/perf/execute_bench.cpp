// Instructions of warps per second, executed without being recorded, by one thread and by two (wall time): a matrix product of 512 x 512, a step on a plane, and a sparse
// product whose loads go to random places. The code is that of committed cubins.
#include <benchmark/benchmark.h>

#include <vector>

#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kArchitecture = 90;

void run(benchmark::State& state, CubinProgram& program, Dim3 groups, Dim3 local) {
  std::uint64_t count = 0;
  program.threads(static_cast<unsigned>(state.range(0)));
  for (auto _ : state) count += program.run(groups, local, 0, /*instruction_limit=*/0);
  state.SetItemsProcessed(static_cast<std::int64_t>(count));
}

void execute_mm_512(benchmark::State& state) {
  std::vector<std::uint32_t> a(512 * 512), b(512 * 512), c(512 * 512);
  CubinProgram program(kArchitecture, "mm_tiled");
  run(state, program.buffer(a).buffer(b).buffer(c).number(std::uint32_t{512}), {32, 32, 1}, {16, 16, 1});
}
BENCHMARK(execute_mm_512)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

void execute_stencil(benchmark::State& state) {
  std::vector<std::uint32_t> in(1026 * 1026), out(1026 * 1026);
  CubinProgram program(kArchitecture, "stencil2d");
  run(state, program.buffer(in).buffer(out).number(std::int32_t{1026}), {64, 64, 1}, {16, 16, 1});
}
BENCHMARK(execute_stencil)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

void execute_random_gathers(benchmark::State& state) {
  constexpr std::uint32_t kRows = 1U << 16, kLength = 16;
  std::vector<std::uint32_t> begin(kRows), length(kRows, kLength), value(kRows * kLength), x(1U << 20),
      y(kRows);
  std::vector<std::uint32_t> column = numbers_below(kRows * kLength, 1U << 20);
  for (std::uint32_t row = 0; row < kRows; ++row) begin[row] = row * kLength;
  CubinProgram program(kArchitecture, "spmv_csr");
  program.buffer(begin).buffer(length).buffer(column).buffer(value).buffer(x).buffer(y);
  run(state, program, {kRows / 256, 1, 1}, {256, 1, 1});
}
BENCHMARK(execute_random_gathers)->ArgName("threads")->Arg(1)->Arg(2)->UseRealTime();

}  // namespace
}  // namespace warpscope::machine
