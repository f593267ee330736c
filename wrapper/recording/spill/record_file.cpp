#include "wrapper/recording/spill/record_file.h"

#include <algorithm>
#include <new>

#include "traces/base/varint.h"

namespace warpscope {

std::string advice_for_file(const std::string& why) {
  return "its records need a file in $TMPDIR: " + why +
         "; set TMPDIR to a folder with more room, or leave it out with --work-groups";
}

void RecordFile::Reach::add(std::int64_t delta, std::uint64_t repeat) {
  at = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) + static_cast<std::uint64_t>(delta) * repeat);
  lowest = std::min(lowest, at);
  highest = std::max(highest, at);
  steps += repeat;
}

RecordFile::RecordFile(std::uint32_t items, std::uint32_t sites)
    : items_(items),
      sites_(sites),
      runs_(std::size_t{items} * sites),
      words_(items),
      reach_(std::size_t{items} * sites) {}

/// Size of the next batch, for which there is memory: what is moved out may be all that there was.
std::size_t RecordFile::batch_for(std::size_t records, SortedRecords& sorted) {
  constexpr std::size_t kLeast = 4096;
  for (std::size_t size = std::min(records, SortedRecords::kBatch);; size /= 2) {
    try {
      batch_.reserve(size);
      sorted.reserve(size);
      return size;
    } catch (const std::bad_alloc&) {
      if (size <= kLeast) throw;
    }
  }
}

void RecordFile::add(std::span<const Token> tokens, std::span<const OutcomeToken> outcomes) {
  while (!tokens.empty()) {
    const std::size_t size = batch_for(tokens.size(), runs_);
    batch_.clear();
    for (const Token& token : tokens.first(size)) {
      const std::uint32_t key = key_of(token.slot / sites_, token.slot % sites_);
      batch_.push_back({zigzag(token.delta), key, token.repeat});
      reach_[key].add(token.delta, token.repeat);
    }
    runs_.add(batch_);
    tokens = tokens.subspan(size);
  }
  while (!outcomes.empty()) {
    const std::size_t size = batch_for(outcomes.size(), words_);
    batch_.clear();
    for (const OutcomeToken& token : outcomes.first(size))
      batch_.push_back({token.word, token.item, token.repeat});
    words_.add(batch_);
    outcomes = outcomes.subspan(size);
  }
}

}  // namespace warpscope
