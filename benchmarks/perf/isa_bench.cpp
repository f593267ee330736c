// Machine instructions per second: decoded, and decoded and printed; the code of a committed cubin, again and again.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "machine/cubin/cubin.h"
#include "machine/isa/printer.h"

namespace warpscope::machine {
namespace {

Cubin program() {
  const std::string path = WARPSCOPE_SOURCE_DIR "/tests/unit/machine/data/saxpy_sm90.cubin";
  std::ifstream file(path, std::ios::binary);
  return {std::vector<std::uint8_t>{std::istreambuf_iterator<char>(file), {}}, path};
}

void decode(benchmark::State& state) {
  const Cubin cubin = program();
  const Decoder decoder(cubin.architecture());
  std::int64_t count = 0;
  for (auto _ : state)
    for (const Function& function : cubin.functions())
      count += static_cast<std::int64_t>(decoder.decode(function.code.bytes()).size());
  state.SetItemsProcessed(count);
}
BENCHMARK(decode);

void decode_and_print(benchmark::State& state) {
  const Cubin cubin = program();
  const Decoder decoder(cubin.architecture());
  std::int64_t count = 0;
  for (auto _ : state)
    for (const Function& function : cubin.functions())
      for (const Instruction& one : decoder.decode(function.code.bytes())) {
        benchmark::DoNotOptimize(text_of(decoder, one));
        ++count;
      }
  state.SetItemsProcessed(count);
}
BENCHMARK(decode_and_print);

}  // namespace
}  // namespace warpscope::machine
