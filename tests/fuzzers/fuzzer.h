#pragma once
// What every harness uses. A harness reads arbitrary bytes; the only failure that is allowed is InputError.
#include <cstdint>
#include <span>
#include <string>

#include "traces/base/error.h"

namespace warpscope::fuzzing {

using Bytes = std::span<const std::uint8_t>;

/// A file in memory, for readers that take a path. There is one per process: its content is replaced.
class InputFile {
 public:
  explicit InputFile(Bytes content);
  [[nodiscard]] const std::string& path() const;
};

/// Runs a reader. Bad input may be refused; every other exception ends the process.
template <class Read>
void allow_refusal(Read read) {
  try {
    read();
  } catch (const InputError&) {
  }
}

#define HARNESS(name, seeds, mutation, help) void fuzz_##name(Bytes input);
#include "tests/fuzzers/harnesses.def"
#undef HARNESS

}  // namespace warpscope::fuzzing
