#pragma once
// What a sweep simulates with one set of tables: an LRU stack for all associativities, or a single cache.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cachesim/counters/counts.h"
#include "cachesim/l1/cache_config.h"
#include "cachesim/transactions/transaction_sink.h"

namespace warpscope {

/// References of one core in order, without those that bypass the L1.
struct SweepReferences {
  std::span<const LineAddr> lines;  ///< lines, or sectors if the caches have them, as in transactions
  /// The same in 32 bits: equal for equal ones, and without its low bits equal for the sectors of a line.
  std::span<const std::uint32_t> numbers;
  std::span<const std::uint8_t> kinds;        ///< AccessKind
  std::span<const Transaction> transactions;  ///< origin = kind; empty if no unit needs them
  /// Of each, what LastUses says, and the number of the first reference there; empty: there is no such table.
  std::span<const std::uint32_t> last_uses;
  std::uint64_t first = 0;
};

/// Lists of lines that are spared searches if it is known when lines were last used (LastUses).
struct SweepLists {
  std::uint64_t lines = 0;      ///< largest number of lines of a core; 0: no lines
  int sector_shift = 0;         ///< log2 of the transactions of a line
  std::uint64_t log_bytes = 0;  ///< bytes of a core's logs, if it has logs
};

/// A unit's tables for one core.
class SweepState {
 public:
  virtual ~SweepState() = default;
  virtual void process(const SweepReferences& references) = 0;
  /// What follows is of the launch with this place in the header. Called where a core's first accesses of it
  /// are.
  virtual void begin_launch(std::size_t /*launch*/) {}
  /// Random replacement draws as it does in this launch.
  virtual void reseed(LaunchId /*launch*/) {}
  /// Levels of its lists that it has searched so far, and would not have if it knew the last uses of lines.
  [[nodiscard]] virtual std::uint64_t vain_levels() const { return 0; }
  virtual void invalidate() = 0;  ///< a launch ends; called at the end in any case
};

/// A configuration and what it counted, over all cores. Of `counts` a sweep fills hits, misses, sector
/// misses, transactions (without those that bypassed it), evictions and write-backs, and miss classes where
/// asked for.
struct SweepCell {
  CacheConfig config;
  Counts counts;
};

/// A cell whose cache is another one from launch to launch: the hardware's own where local memory takes part
/// of the L1.
struct FollowingCell {
  std::size_t cell = 0;
  std::vector<CacheConfig> by_launch;  ///< caches of each launch, as in the header; different sizes and ways
};

class SweepUnit {
 public:
  virtual ~SweepUnit() = default;
  [[nodiscard]] virtual std::unique_ptr<SweepState> make_state(CoreId core,
                                                               const TransactionHeader& header) const = 0;
  /// Adds up the cores: `states` are those of make_state(), null where a core made no access.
  virtual void collect(std::span<const std::unique_ptr<SweepState>> states,
                       std::span<SweepCell> cells) const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_per_core() const = 0;
  [[nodiscard]] virtual bool needs_transactions() const = 0;
  [[nodiscard]] virtual SweepLists lists() const { return {}; }
};

/// Units for all `cells`, which have transactions of the same size and are valid. Each cell belongs to one
/// unit; how many of the units are stacks goes to `stacks`. With `classes` each cell has its own unit,
/// as has one whose stores to private memory obey another policy than the others, where `header` has such
/// memory, and `following`.
std::vector<std::unique_ptr<SweepUnit>> make_sweep_units(std::span<const SweepCell> cells, bool classes,
                                                         const TransactionHeader& header,
                                                         const std::optional<FollowingCell>& following,
                                                         std::size_t& stacks);

}  // namespace warpscope
