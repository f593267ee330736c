#pragma once
// Many caches on one stream of transactions: collects the references of each core in chunks and lets the
// threads of a pool work through a chunk, unit by unit and core by core, while the next one fills.
#include <functional>

#include "cachesim/classes/last_uses.h"
#include "cachesim/classes/line_table.h"
#include "cachesim/simulate/launch_cache.h"
#include "cachesim/simulate/task_pool.h"
#include "cachesim/sweep/sweep_unit.h"
#include "cachesim/transactions/transaction_sink.h"

namespace warpscope {

struct SweepEngineOptions {
  bool keep_l1 = false;
  bool classes = false;          ///< classify misses: then every cache is simulated by itself
  std::size_t chunk = 1u << 16;  ///< references between two meetings of the threads
  std::uint64_t most_bytes = std::uint64_t{2} << 30;  ///< limit of all tables together
  /// Gets transactions done so far, now and then; may throw.
  std::function<void(std::uint64_t)> progress = {};
  /// A configuration whose capacity, and so its ways, depends on the launch: a preset's own, which local
  /// memory takes part of.
  std::optional<std::size_t> own = {};
  LaunchCache own_of = {};
};

class SweepEngine final : public TransactionSink {
 public:
  /// The configurations have passed validate() and all have transactions of the same size. `pool` outlives
  /// this.
  SweepEngine(const std::vector<CacheConfig>& configurations, SweepEngineOptions options, TaskPool& pool);
  ~SweepEngine() override;
  /// Throws InputError when the size of the transactions is another, or when the tables would need too much
  /// memory.
  void begin(const TransactionHeader& header) override;
  void begin_launch(LaunchId launch) override;
  void add_origins(std::span<const Origin> added) override;
  /// Throws InputError on an unknown origin, a line beyond the header's limit or an unknown kind.
  void block(const TransactionBlock& block) override;
  void end() override;

  [[nodiscard]] const TransactionHeader& header() const { return header_; }
  /// After begin(): of all units, and how many are simulated.
  [[nodiscard]] std::size_t stacks() const { return stacks_; }
  [[nodiscard]] std::size_t units() const { return units_.size(); }
  /// How many cores' last uses of lines were noted, because many lines were in none of the lists.
  [[nodiscard]] std::size_t cores_with_last_uses() const { return cores_with_last_uses_; }
  /// After end(), in the order of the configurations.
  [[nodiscard]] const std::vector<SweepCell>& cells() const { return cells_; }
  /// Requests, lanes, transactions and bypasses: the same for all cells.
  [[nodiscard]] const Counts& traffic() const { return traffic_; }
  /// After begin(): place of SweepEngineOptions::own, which is another cell's where that is the same cache.
  [[nodiscard]] std::optional<std::size_t> own() const { return options_.own; }
  /// After begin(): capacity of SweepEngineOptions::own by launch, if it differs between them. Its cell then
  /// has the largest.
  [[nodiscard]] const std::vector<std::uint64_t>& own_kib() const { return own_kib_; }
  [[nodiscard]] std::uint32_t transaction_bytes() const { return cells_.front().config.transaction_bytes(); }

 private:
  /// References of a core that wait for the threads.
  struct Waiting {
    std::vector<LineAddr> lines;
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint8_t> kinds;
    std::vector<Transaction> transactions;
    std::vector<std::uint32_t> last_uses;
    std::uint64_t first = 0;  ///< number of the first reference of last_uses, counted per core
    /// Places between references where a launch begins, or where it ends and the caches are emptied.
    struct Mark {
      std::size_t at = 0;
      std::optional<std::size_t> begins;
      LaunchId id;  ///< the launch that begins
    };
    std::vector<Mark> marks;
    void add(std::span<const Transaction> added, const std::uint32_t* places);
    void clear();
  };
  struct Core {
    std::vector<std::unique_ptr<SweepState>> states;  ///< indexed by unit
    bool used = false;                                ///< since the caches were emptied
    std::optional<std::size_t> launch;                ///< the launch of the latest accesses
    std::uint64_t references = 0;                     ///< number of references in finished chunks
    std::optional<LastUses> last_uses;                ///< present if many lines are in none of the lists
    bool request_begins = false;                      ///< whether what comes next is its request's first one
  };
  std::optional<FollowingCell> following_cell();
  void plan_last_uses(std::uint64_t free_bytes);
  void merge_own();
  void mark_launch(std::size_t core);
  void append(std::size_t core, std::span<const Transaction> added);
  static void append_transactions(Core& core, Waiting& waiting, std::span<const Transaction> added);
  void count(std::span<const Transaction> transactions);
  void note_uses(std::size_t core, std::size_t from);
  [[nodiscard]] bool is_judged(std::size_t core) const;
  void start_last_uses(std::size_t core);
  void check(Transaction transaction) const;
  void end_launch();
  void submit();
  void work(std::size_t core, std::size_t unit);

  SweepEngineOptions options_;
  bool reseeds_;  ///< launches draw random numbers of their own
  TaskPool& pool_;
  std::vector<SweepCell> cells_;
  std::vector<std::unique_ptr<SweepUnit>> units_;
  std::size_t stacks_ = 0;
  bool needs_transactions_ = false;
  int last_use_bits_ = 0;  ///< LastUses of 2^bits places; 0: none
  std::size_t chunk_;      ///< references in a chunk: few at first, so that tables of last uses start early
  int last_use_shift_ = 0;
  std::size_t cores_with_last_uses_ = 0;
  TransactionHeader header_;
  std::vector<Origin> origins_;
  Counts traffic_;
  std::size_t launch_ = 0;  ///< its place in the header
  LaunchId launch_id_;
  std::vector<std::uint64_t> own_kib_;
  std::vector<Core> cores_;
  std::vector<Waiting> filling_, working_;                      ///< indexed by core
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tasks_;  ///< core, unit: of what is worked on
  std::size_t filled_ = 0;
  std::uint64_t done_ = 0;
  /// Places as numbers of lines or sectors, where their own are too large for 32 bits: they must not change.
  LineTable<std::uint8_t> numbers_{{.neighbour_bits = 6, .free_entries = ~std::size_t{0}}};
  std::vector<std::uint32_t> places_;
  bool submitted_ = false;
};

}  // namespace warpscope
