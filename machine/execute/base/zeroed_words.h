#pragma once
// Words that are 0, of which the system gives memory only where they are written.
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace warpscope::machine {

struct FreeWords {
  void operator()(std::uint32_t* words) const { std::free(words); }
};
using ZeroedWords = std::unique_ptr<std::uint32_t[], FreeWords>;

/// Null if there is no memory.
inline ZeroedWords zeroed_words(std::uint64_t count) {
  return ZeroedWords(static_cast<std::uint32_t*>(std::calloc(count, sizeof(std::uint32_t))));
}

}  // namespace warpscope::machine
