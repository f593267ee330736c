#pragma once
// From a schedule to transactions: gives warp accesses their addresses, coalesces them, stages them per core.
#include <optional>
#include <vector>

#include "cachesim/transactions/access_path.h"
#include "cachesim/transactions/outside_costs.h"
#include "cachesim/transactions/remembered_patterns.h"
#include "cachesim/transactions/transaction_sink.h"
#include "traces/stream/stream.h"

namespace warpscope {

class CoalescingSink final : public WarpAccessSink {
 public:
  /// `line_bytes` (of a transaction) a power of two; `sink` must outlive this. With `stages`, passes of tags,
  /// data and banks are counted, too.
  CoalescingSink(std::uint32_t line_bytes, const CoalescingRule& rule, TransactionSink& sink,
                 L1Takes takes = L1Takes::Everything, const std::optional<StageRules>& stages = {});
  /// Blocks say who made each transaction; before begin().
  void name_accessors() { names_accessors_ = true; }
  void begin(const StreamHeader& header) override;
  void begin_launch(LaunchId launch) override;
  /// Throws InputError when an address has no place in a transaction or the site is not in the launch.
  void access(const WarpAccess& access) override;
  void end() override;

 private:
  struct Site : AccessSite {
    Destination destination =
        Destination::L1;          ///< destination of the last access; `shape` tells whether it is Bypass
    bool last_in_memory = false;  ///< accesses to last_buffer go through access_in_memory()
    std::uint64_t last_base = 0;  ///< address at which last_buffer starts, if last_in_memory
  };
  /// Transactions and tallies of a core that are not in the sink yet.
  struct Stage {
    std::vector<Transaction> transactions;  ///< the first `used` of these are filled
    std::size_t used = 0;
    std::vector<OriginTally> tallies;                 ///< indexed by origin; in *stage_ every origin has one
    std::vector<std::vector<std::uint64_t>> degrees;  ///< indexed by origin: passes of local memory by degree
    std::vector<Accessor> accessors;                  ///< accessors of the transactions, if they are named
    /// Room for `count` more transactions.
    Transaction* add(std::size_t count) {
      const std::size_t before = used;
      used += count;
      if (used > transactions.size()) [[unlikely]]
        transactions.resize(used * 2);
      return transactions.data() + before;
    }
  };
  /// What became of a pattern at a place in its line.
  struct alignas(64) Remembered : PatternKey {
    /// Of each transaction, as its bits: line minus line of the base, and whether it is first of its request.
    std::vector<std::uint64_t> steps;
    std::vector<LaneMask> lanes;  ///< lanes that each transaction serves, if accessors are named
    StagePlan plan;
  };

  Site& site_of(const WarpAccess& access);
  Site& text_site(const WarpAccess& access);
  void enter(CoreId core);
  void add_tallies(Stage& stage) const;
  OriginId origin_of(Site& site, SiteId id, BufferId buffer, Destination destination);
  static void aim(Site& site, Destination destination);
  [[nodiscard]] Destination destination_of(const Site& site, BufferId buffer) const;
  void tally(Stage& stage, OriginId origin, const Site& site, std::uint32_t lanes, bool whole_request = true);
  const Remembered& steps_of(const WarpAccess& access, const Site& site, std::uint64_t address);
  void make_steps(const WarpAccess& access, const Site& site, std::uint64_t address, Remembered& out);
  /// Whether the stages of its accesses do not follow from the transactions.
  [[nodiscard]] bool needs_plan(const Site& site) const {
    return counts_apart_ || (path_.stages() != nullptr && site.destination == Destination::Bypass);
  }
  void count_stages(const StagePlan& plan, std::uint64_t base, Destination destination,
                    StageCounts& sum) const;
  /// Of an access whose transactions path_ has just made, without remembering it.
  void plan_apart(const LaneAccesses& lanes, const Site& site, OriginTally& tally);
  void access_outside(const WarpAccess& access, const Site& site, Stage& stage, OriginId origin);
  void access_elsewhere(const WarpAccess& access, Site& site, Stage& stage, bool in_one_buffer);
  /// Of site.last_buffer.
  void access_in_memory(const WarpAccess& access, const Site& site, Stage& stage, std::uint64_t address);
  void access_private(const WarpAccess& access, Site& site, Stage& stage);
  void access_scattered(const WarpAccess& access, Site& site, Stage& stage);
  [[nodiscard]] std::size_t lane_of(LineAddr line, const LaneAccesses& lanes) const;
  [[noreturn]] void refuse_address(std::uint64_t address) const;
  void name_accessor(const WarpAccess& access, Stage& stage, LaneMask lanes);
  void name_accessors_of(const WarpAccess& access, const LaneAccesses& lanes, Stage& stage);
  void flush(CoreId core, Stage& stage);
  void flush_all();

  std::uint32_t line_bytes_;
  int line_shift_;
  L1Takes takes_;
  TransactionSink& sink_;
  AccessPath path_;
  StreamHeader header_;
  bool names_accessors_ = false;
  bool plain_addresses_ = false;  ///< text: no buffers, the location is the address
  bool counts_apart_ = false;     ///< stages never follow from the transactions
  std::uint64_t address_limit_ = 0;
  std::vector<Site> sites_;    ///< the launch's sites, by SiteId; text: two per instruction number
  std::size_t announced_ = 0;  ///< origins that the sink knows
  std::vector<Stage> stages_;  ///< indexed by core
  Stage* stage_ = nullptr;     ///< stage of core_, after its first access
  CoreId core_;
  RememberedPatterns<Remembered> remembered_;
  std::optional<LocalBanks> banks_;  ///< absent = not asked for
  std::vector<LaneMask> served_;
};

}  // namespace warpscope
