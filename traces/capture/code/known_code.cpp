#include "traces/capture/code/known_code.h"

#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace warpscope {
namespace {

/// Of the words; what else there is, is compared.
std::uint64_t hash_of(const MachineCode& code) {
  std::vector<std::uint64_t> words;
  words.reserve(2 * code.instructions.size());
  for (const MachineInstruction& one : code.instructions) {
    words.push_back(one.low);
    words.push_back(one.high);
  }
  return XXH3_64bits_withSeed(words.data(), words.size() * sizeof(std::uint64_t), code.architecture);
}

}  // namespace

std::optional<LaunchId> KnownCode::find(const MachineCode& code) const {
  const auto same = by_identity_.find({code.instructions.data(), code.first_of_block.data()});
  if (same != by_identity_.end()) return same->second;
  const auto [first, last] = by_content_.equal_range(hash_of(code));
  for (auto entry = first; entry != last; ++entry)
    if (entry->second.code.is_same_code(code)) return entry->second.launch;
  return std::nullopt;
}

void KnownCode::add(LaunchId launch, const MachineCode& code) {
  by_identity_.emplace(Identity(code.instructions.data(), code.first_of_block.data()), launch);
  Entry entry{launch, code};
  entry.code.order_dependent.clear();
  by_content_.emplace(hash_of(code), std::move(entry));
}

}  // namespace warpscope
