#pragma once
// From a schedule to transactions: gives warp accesses their addresses, coalesces them, stages them per core.
#include <optional>
#include <vector>

#include "cachesim/access/access_stages.h"
#include "cachesim/access/coalescer.h"
#include "cachesim/access/private_memory.h"
#include "cachesim/transactions/transaction_sink.h"
#include "traces/program/layout.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// What the L1 takes: global and private memory; one of them; nothing. The rest passes it by.
enum class L1Takes : std::uint8_t { Everything, GlobalMemory, PrivateMemory, Nothing };
/// Where the accesses of a site go, as far as the site says.
PlannedDestination planned_destination(const SiteInfo& site, L1Takes takes);

class CoalescingSink final : public WarpAccessSink {
 public:
  /// `line_bytes` (of a transaction) a power of two; `sink` must outlive this. With `stages`, passes of tags,
  /// data and banks are counted, too.
  CoalescingSink(std::uint32_t line_bytes, const CoalescingRule& rule, TransactionSink& sink,
                 L1Takes takes = L1Takes::Everything, const std::optional<StageRules>& stages = {});
  /// Blocks say who made each transaction; before begin().
  void name_touchers() { names_touchers_ = true; }
  void begin(const StreamHeader& header) override;
  void begin_launch(LaunchId launch) override;
  /// Throws InputError when an address has no place in a transaction or the site is not in the launch.
  void access(const WarpAccess& access) override;
  void end() override;

 private:
  /// What a site's accesses have in common.
  struct Site {
    AccessKind kind = AccessKind::Load;
    AddressSpace space = AddressSpace::Global;
    PlannedDestination planned;
    Destination destination = Destination::L1;  ///< of the last access
    std::uint32_t width = 0, alignment = 1;
    std::uint32_t instructions = 1;  ///< of a GPU for one access
    std::uint32_t shape = 0;         ///< sites of the same width, alignment and destination are treated alike
    std::uint64_t shape_hash = 0;
    std::uint32_t last_buffer = ~0u;  ///< the origin looked up last
    OriginId last_origin;
    bool last_in_memory = false;  ///< accesses to last_buffer go through access_in_memory()
    std::uint64_t last_base = 0;  ///< then: where last_buffer starts
  };
  /// Transactions and tallies of a core that are not in the sink yet.
  struct Stage {
    std::vector<Transaction> transactions;  ///< of these the first `used`
    std::size_t used = 0;
    std::vector<OriginTally> tallies;                 ///< by origin; in *stage_ every origin has one
    std::vector<std::vector<std::uint64_t>> degrees;  ///< by origin: passes of local memory by degree
    std::vector<Toucher> touchers;                    ///< of the transactions, where they are named
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
  struct alignas(64) Remembered {
    std::uint64_t key = 0;
    std::uint32_t shape = 0;
    /// Of each transaction, as its bits: line minus line of the base, and whether it is first of its request.
    std::vector<std::uint64_t> steps;
    std::vector<LaneMask> lanes;  ///< that each serves, where touchers are named
    StagePlan plan;
  };
  /// What the banks make of a pattern.
  struct RememberedBanks {
    std::uint32_t pattern = 0, shape = 0, residue = 0;
    std::uint32_t cycles = 0;
    std::vector<std::uint16_t> degrees;
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
    return counts_apart_ || (counted_.has_value() && site.destination == Destination::Bypass);
  }
  void count_stages(const StagePlan& plan, std::uint64_t base, Destination destination,
                    StageCounts& sum) const;
  /// Of an access whose transactions are in lines_, without remembering it.
  void plan_apart(const LaneAccesses& lanes, const Site& site, OriginTally& tally);
  void access_outside(const WarpAccess& access, const Site& site, Stage& stage, OriginId origin);
  const RememberedBanks& banks_of(const WarpAccess& access, const Site& site);
  void access_elsewhere(const WarpAccess& access, Site& site, Stage& stage, bool in_one_buffer);
  /// Of site.last_buffer.
  void access_in_memory(const WarpAccess& access, const Site& site, Stage& stage, std::uint64_t address);
  void access_private(const WarpAccess& access, Site& site, Stage& stage);
  void access_scattered(const WarpAccess& access, Site& site, Stage& stage);
  [[nodiscard]] std::size_t lane_of(LineAddr line, std::uint32_t width) const;
  [[nodiscard]] std::uint64_t address_of(const WarpAccess& access, LaneId lane, BufferAddr where) const;
  [[noreturn]] void refuse_address(std::uint64_t address) const;
  void name_toucher(const WarpAccess& access, Stage& stage, LaneMask lanes);
  void flush(CoreId core, Stage& stage);
  void flush_all();

  std::uint32_t line_bytes_;
  int line_shift_;
  const CoalescingRule& rule_;
  TransactionSink& sink_;
  L1Takes takes_;
  StreamHeader header_;
  Layout layout_;
  PrivateMemory private_;
  bool names_touchers_ = false;
  bool plain_addresses_ = false;  ///< text: no buffers, the location is the address
  std::uint64_t address_limit_ = 0;
  std::vector<AddressSpace> space_of_buffer_;
  std::vector<Site> sites_;  ///< of the launch, by SiteId; text: two per instruction number
  OriginTable origins_;
  std::size_t announced_ = 0;  ///< origins that the sink knows
  std::vector<Stage> stages_;  ///< by core
  Stage* stage_ = nullptr;     ///< that of core_, once there was an access
  CoreId core_;
  std::optional<AccessStages> counted_;  ///< absent = not asked for
  bool counts_apart_ = false;            ///< stages never follow from the transactions
  std::uint32_t residue_mask_;           ///< what of an address a pattern's transactions depend on
  std::vector<Remembered> remembered_;
  Remembered once_;
  std::vector<RememberedBanks> remembered_banks_;
  RememberedBanks banks_once_;
  std::vector<LaneMask> served_;
  std::vector<std::uint64_t> addresses_;
  std::vector<CoalescedLine> lines_;
};

}  // namespace warpscope
