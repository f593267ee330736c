#pragma once
// What cache is simulated, and the tables of choices that are not replacement policies.
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "traces/base/types.h"

namespace warpscope {

using SetIndex = Strong<struct SetTag, std::uint32_t>;
using WayIndex = Strong<struct WayTag, std::uint32_t>;

/// What a store does; a line of write_policy.def. Loads always allocate.
struct WritePolicy {
  const char* name;
  bool store_miss_allocates;
  bool writes_back;  ///< a store hit (or allocation) leaves the line dirty; its eviction is a write-back
  bool store_hit_removes;  ///< counted as hit and eviction
  bool store_hits_line;    ///< a store hits if its request finds the line, even without the store's sector
  const char* help;
};

struct CacheConfig {
  std::uint64_t size_kib = 16;
  std::uint32_t line_bytes = 128;
  std::uint32_t ways = 4;
  std::string replacement = "LRU";
  std::string write_policy = "WTNA";
  std::string set_index = "linear";
  std::uint64_t seed = 1;  ///< seed of random replacement; each core draws its own numbers
  std::uint32_t sector_bytes =
      0;  ///< bytes that a miss brings in and a transaction moves; 0 = the whole line
  std::string private_write_policy = {};  ///< policy of stores to private memory; empty = write_policy
  /// Sets of a tag array that has room for more lines than there is memory for; 0: the tags are as many as the lines.
  std::uint32_t tag_sets = 0;

  [[nodiscard]] std::uint32_t lines() const {
    return static_cast<std::uint32_t>(size_kib * 1024 / line_bytes);
  }
  [[nodiscard]] std::uint32_t sets() const { return tag_sets != 0 ? tag_sets : lines() / ways; }
  /// Whether a line may find a free tag and no memory.
  [[nodiscard]] bool has_spare_tags() const { return std::uint64_t{sets()} * ways > lines(); }
  [[nodiscard]] std::uint32_t transaction_bytes() const {
    return sector_bytes != 0 ? sector_bytes : line_bytes;
  }
  /// Policy of stores to private memory.
  [[nodiscard]] const std::string& private_writes() const {
    return private_write_policy.empty() ? write_policy : private_write_policy;
  }
  /// log2 of the sectors of a line.
  [[nodiscard]] int sector_shift() const { return std::countr_zero(line_bytes / transaction_bytes()); }
  bool operator==(const CacheConfig&) const = default;
};

/// Place of a transaction in the sector mask of its line.
constexpr std::uint8_t sector_bit(std::uint64_t transaction, int sector_shift) {
  return static_cast<std::uint8_t>(1u << (transaction & ((std::uint64_t{1} << sector_shift) - 1)));
}

/// Throws InputError for every cache that cannot be built, saying which value is wrong and what would do.
void validate(const CacheConfig& config);

std::span<const WritePolicy> write_policies();
/// Throws InputError that lists the known policies and says `whose`.
const WritePolicy& write_policy(const std::string& name, const char* whose = "write policy");
constexpr const char* kOfPrivateMemory = "write policy of private memory";

/// Set of each line of a batch. `sets` has passed validate(). The loop is inside, so that the choice costs
/// nothing per line.
using SetIndexFunction = void (*)(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out);
struct SetIndexEntry {
  const char* name;
  SetIndexFunction function;
  bool (*takes)(std::uint32_t sets, std::uint32_t line_bytes);  ///< whether it is defined for such caches
  const char* needs;                                            ///< the same requirement in words
  const char* help;
  const char* source;
};
std::span<const SetIndexEntry> set_indexes();
/// Throws InputError that lists the known functions.
const SetIndexEntry& set_index(const std::string& name);

}  // namespace warpscope
