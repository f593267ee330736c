#pragma once
// The tag array of one core, behind an interface that takes transactions by the batch.
#include <cstdint>
#include <memory>
#include <span>

#include "cachesim/l1/cache_config.h"
#include "cachesim/l1/event.h"
#include "cachesim/l1/replacement_policy.h"

namespace warpscope {

/// Look-ups and misses of one set.
struct SetCounts {
  std::uint64_t transactions = 0;
  std::uint64_t misses = 0;
};

/// The same in one word, so that a look-up costs one addition: look-ups in the low half, misses in the upper
/// one. Whoever owns it adds it to SetCounts before 2^32 look-ups.
class PackedSetCounts {
 public:
  constexpr void add(bool missed) { both_ += 1 + (std::uint64_t{missed} << 32); }
  constexpr void add(const PackedSetCounts& other) { both_ += other.both_; }
  void move_to(SetCounts& counts) {
    counts.transactions += both_ & 0xFFFFFFFFu;
    counts.misses += both_ >> 32;
    both_ = 0;
  }

 private:
  std::uint64_t both_ = 0;
};

/// Transactions of one core in order, with room for what becomes of them.
struct CacheBatch {
  std::span<const Transaction> transactions;
  const std::uint32_t* sets = nullptr;    ///< set of each transaction
  PackedSetCounts* set_counts = nullptr;  ///< indexed by set
  /// Either null, then every event is counted in `counts`, or room for one packed event per transaction, then
  /// nothing is counted: the classifier refines the events and counts them.
  std::uint8_t* events = nullptr;
  EventCounts* counts = nullptr;  ///< indexed by origin; has a row for every origin of the batch
  /// Null, or room for one number per transaction: the line that a Miss with a victim drove out. Only for
  /// caches made with names_victims.
  std::uint64_t* victims = nullptr;
  /// Indexed by origin like `counts`: gets the dirty sectors of lines driven out. Null where lines have no
  /// sectors, or nobody asks.
  std::uint64_t* sectors_back = nullptr;
  /// True only if no transaction has one of Transaction::kStoreOrBypass: faster. False is never wrong.
  bool only_loads = false;
};

class L1Cache {
 public:
  virtual ~L1Cache() = default;
  virtual void process(const CacheBatch& batch) = 0;
  /// Empties the cache, without write-backs.
  virtual void invalidate() = 0;
  /// A random policy draws from another sequence from here on; others have none.
  virtual void reseed(std::uint64_t /*seed*/) {}
};

/// What a cache is built from. `line_limit`: every line number is below it; a small limit admits faster tag
/// arrays.
struct L1CacheOptions {
  CacheConfig config;
  std::uint64_t seed = 1;  ///< seed of this core
  std::uint64_t line_limit = Transaction::kMaxLine + 1;
  bool names_victims = false;
  std::uint64_t private_from = kNoPrivateMemory;  ///< transactions of private memory are not below it
};

constexpr std::uint32_t kAnyWays = 0;

/// A line of registry.def.
struct ReplacementEntry {
  const char* name;
  std::unique_ptr<L1Cache> (*make_cache)(const L1CacheOptions&);
  /// The policy alone, for simulators that keep their own tags.
  std::unique_ptr<AnyReplacement> (*make_policy)(const PolicyGeometry&);
  std::uint32_t only_ways;  ///< the one number of ways that it is defined for, or kAnyWays
  bool random;              ///< draws random numbers: other seeds, other victims
  bool takes_spare_tags;    ///< chooses a victim of a set that is not full, too
  const char* help;
  const char* source;  ///< publication that describes the policy
  [[nodiscard]] bool takes(std::uint32_t ways) const { return only_ways == kAnyWays || ways == only_ways; }
};
std::span<const ReplacementEntry> replacement_policies();
/// Throws InputError that lists the known policies.
const ReplacementEntry& replacement_policy(const std::string& name);

/// The cache of one core. The configuration has passed validate().
std::unique_ptr<L1Cache> make_l1_cache(const L1CacheOptions& options);

}  // namespace warpscope
