// Instructions of warps per second, executed without being recorded, by one thread: a matrix product of 512 x 512, a step on a plane, and a sparse
// product whose loads go to random places. The code is that of committed cubins.
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "machine/execute/launch.h"

namespace warpscope::machine {
namespace {

class Program {
 public:
  explicit Program(const std::string& name) : cubin_(bytes_of(name), name) {
    for (const Function& function : cubin_.functions())
      if (function.is_kernel) kernel_ = &function;
    settings_.parameters.resize(kernel_->parameter_bytes);
  }
  Program& buffer(std::vector<std::uint32_t>& words) {
    return number(memory_.add(reinterpret_cast<std::uint8_t*>(words.data()), words.size() * 4, 1).address);
  }
  template <class T>
  Program& number(T value) {
    std::memcpy(settings_.parameters.data() + kernel_->parameters.at(next_++).offset, &value, sizeof value);
    return *this;
  }
  void run(benchmark::State& state, Dim3 groups, Dim3 local) {
    settings_.groups = groups;
    settings_.local = local;
    const Code code(cubin_, *kernel_);
    std::uint64_t count = 0;
    for (auto _ : state) {
      Launch launch(code, memory_, settings_);
      launch.run();
      count += launch.instructions();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(count));
  }

 private:
  static std::vector<std::uint8_t> bytes_of(const std::string& name) {
    std::ifstream file(WARPSCOPE_SOURCE_DIR "/tests/unit/machine/data/kernels/sm_90/" + name + ".cubin",
                       std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Cubin cubin_;
  const Function* kernel_ = nullptr;
  DeviceMemory memory_;
  LaunchSettings settings_;
  std::size_t next_ = 0;
};

std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t below) {
  std::vector<std::uint32_t> result(count);
  std::uint32_t state = 12345;
  for (std::uint32_t& value : result) value = ((state = state * 1664525 + 1013904223) >> 8) % below;
  return result;
}

void execute_mm_512(benchmark::State& state) {
  std::vector<std::uint32_t> a(512 * 512), b(512 * 512), c(512 * 512);
  Program program("mm_tiled");
  program.buffer(a).buffer(b).buffer(c).number(std::uint32_t{512}).run(state, {32, 32, 1}, {16, 16, 1});
}
BENCHMARK(execute_mm_512);

void execute_stencil(benchmark::State& state) {
  std::vector<std::uint32_t> in(1026 * 1026), out(1026 * 1026);
  Program program("stencil2d");
  program.buffer(in).buffer(out).number(std::int32_t{1026}).run(state, {64, 64, 1}, {16, 16, 1});
}
BENCHMARK(execute_stencil);

void execute_random_gathers(benchmark::State& state) {
  constexpr std::uint32_t kRows = 1U << 16, kLength = 16;
  std::vector<std::uint32_t> begin(kRows), length(kRows, kLength), value(kRows * kLength), x(1U << 20),
      y(kRows);
  std::vector<std::uint32_t> column = numbers(kRows * kLength, 1U << 20);
  for (std::uint32_t row = 0; row < kRows; ++row) begin[row] = row * kLength;
  Program program("spmv_csr");
  program.buffer(begin).buffer(length).buffer(column).buffer(value).buffer(x).buffer(y);
  program.run(state, {kRows / 256, 1, 1}, {256, 1, 1});
}
BENCHMARK(execute_random_gathers);

}  // namespace
}  // namespace warpscope::machine
