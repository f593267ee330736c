// All harnesses in one program; --harness=NAME says which one runs. The rest of the options are libFuzzer's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzzers/json_mutation.h"
#include "tests/fuzzers/section_mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace warpscope::fuzzing {
namespace {

enum class Mutation : std::uint8_t { Sections, Json, Bytes };

struct Harness {
  const char* name;
  void (*run)(Bytes input);
  Mutation mutation;
};

constexpr Harness kHarnesses[] = {
#define HARNESS(name, seeds, mutation, help) {#name, fuzz_##name, Mutation::mutation},
#include "tests/fuzzers/harnesses.def"
#undef HARNESS
};

const Harness* chosen = nullptr;

void choose(int argc, char** argv) {
  constexpr std::string_view kOption = "--harness=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with(kOption)) continue;
    chosen = std::find_if(std::begin(kHarnesses), std::end(kHarnesses), [&](const Harness& harness) {
      return word.substr(kOption.size()) == harness.name;
    });
    if (chosen != std::end(kHarnesses)) return;
  }
  std::fputs("fuzzer: expected --harness= and one of", stderr);
  for (const Harness& harness : kHarnesses) std::fprintf(stderr, " %s", harness.name);
  std::fputs("\n", stderr);
  std::exit(2);
}

std::vector<std::uint8_t> mutated(Bytes seed, std::minstd_rand& random) {
  if (chosen->mutation == Mutation::Sections) return mutated_sections(seed, random);
  std::string text(reinterpret_cast<const char*>(seed.data()), seed.size());
  if (chosen->mutation == Mutation::Bytes || random() % 2 == 0 || !mutate_json(text, random)) return {};
  return {text.begin(), text.end()};
}

}  // namespace
}  // namespace warpscope::fuzzing

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  warpscope::fuzzing::choose(*argc, *argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  warpscope::fuzzing::chosen->run({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  const std::vector<std::uint8_t> result = warpscope::fuzzing::mutated({data, size}, random);
  if (result.empty() || result.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(result.begin(), result.end(), data);
  return result.size();
}
