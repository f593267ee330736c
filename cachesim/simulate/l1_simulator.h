#pragma once
// The L1 caches of all cores: takes blocks of transactions, gives counters.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cachesim/classes/reuse_histogram.h"
#include "cachesim/counters/counts.h"
#include "cachesim/counters/launch_records.h"
#include "cachesim/l1/cache_config.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/simulate/launch_cache.h"
#include "cachesim/transactions/transaction_sink.h"

namespace warpscope {

struct SimulationOptions {
  CacheConfig cache;
  /// A change of the cache empties it, whatever keep_l1 says.
  LaunchCache cache_of;
  bool classes = true;
  bool reuse_histogram = false;
  bool by_source = false;  ///< classes of hits and evictions by previous accessor; blocks name accessors
  bool keep_l1 = false;    ///< launches do not invalidate the caches, and count as one for the classes
  /// Counts a second time, independently, and throws std::logic_error when a law does not hold.
  bool self_check = false;
};

/// Identifies a site over launches: launches of the same kernel share their sites.
struct SiteKey {
  std::size_t kernel = 0;  ///< index into SimulationResult::kernels
  SiteId site;
  AccessKind kind = AccessKind::Load;
  auto operator<=>(const SiteKey&) const = default;
};

struct SimulationResult {
  std::vector<std::size_t> kernels;  ///< per distinct kernel the first launch (position in the header) of it
  LaunchRecords launches;            ///< indexed by position in the header; one for text streams
  Counts all_launches;               ///< their sum
  std::map<CoreId, Counts> cores;
  std::map<std::pair<SiteKey, BufferId>, Counts> sites;  ///< counts by site and buffer
  std::vector<SetCounts> sets;
  ReuseHistogram reuse;
  std::map<SiteKey, ReuseHistogram> site_reuse;  ///< the sites' own references, with reuse_histogram
  [[nodiscard]] Counts total() const { return all_launches; }
  /// Adds the result of other cores, from the same input and options.
  SimulationResult& operator+=(const SimulationResult& other);
};

class L1Simulator final : public TransactionSink {
 public:
  /// Throws InputError when the cache cannot be built.
  explicit L1Simulator(const SimulationOptions& options);
  ~L1Simulator() override;
  /// Throws InputError when the line size of the stream is not the cache's.
  void begin(const TransactionHeader& header) override;
  void begin_launch(LaunchId launch) override;
  void add_origins(std::span<const Origin> added) override;
  /// Throws InputError when a transaction names an unknown origin or a line beyond the header's limit.
  void block(const TransactionBlock& block) override;
  void end() override;
  [[nodiscard]] const SimulationResult& result() const { return result_; }   ///< valid after end()
  [[nodiscard]] const TransactionHeader& header() const { return header_; }  ///< valid after begin()

 private:
  struct Core;
  struct Scratch;
  Core& core(CoreId id);
  void process(Core& core, std::span<const Transaction> transactions, std::span<const Accessor> accessors);
  bool lines_of(std::span<const Transaction> transactions, LineAddr* lines) const;
  void classify_by_source(Core& core, const CacheBatch& batch, std::span<const Accessor> accessors);
  void measure_reuse(Core& core, std::span<const Transaction> transactions);
  void add_site_histograms(Core& core, std::size_t kernel);
  void close_launch();
  void reseed(std::uint64_t seed);
  void reshape(const CacheConfig& config);
  [[nodiscard]] bool in_private(BufferId buffer) const {
    return buffer.value() < is_private_.size() && is_private_[buffer.value()];
  }
  [[nodiscard]] bool allocates(AccessKind kind, BufferId buffer) const;
  void check_tallies() const;
  void check_laws() const;

  SimulationOptions options_;  ///< options_.cache is that of the present launch
  std::uint64_t seed_;         ///< seed of random replacement in the current launch
  SetIndexFunction set_index_;
  TransactionHeader header_;
  std::vector<bool> is_private_;  ///< indexed by buffer
  std::size_t launch_ = 0;        ///< position in the header
  bool launch_open_ = false;
  std::vector<std::size_t> kernel_of_launch_;
  std::vector<Origin> origins_;
  std::vector<std::unique_ptr<Core>> cores_;  ///< indexed by core number; null = not seen
  SimulationResult result_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace warpscope
