#pragma once
// The L1 of one core with its outstanding misses: lines of sectors, of which some are on their way.
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "cachesim/l1/absent_lines.h"
#include "cachesim/l1/cache_config.h"
#include "cachesim/l1/replacement_policy.h"
#include "cachesim/l1/set_turn.h"
#include "cachesim/l1/slru_rule.h"
#include "cachesim/l1/write_rules.h"
#include "timed/config/config.h"
#include "timed/memory/line_index.h"
#include "timed/memory/line_table.h"

namespace warpscope::timed {

using SectorMask = std::uint8_t;  ///< bit s = sector s of a line
constexpr std::uint64_t sectors_in(SectorMask mask) {
  return static_cast<std::uint64_t>(std::popcount(mask));
}
/// Who waits for data: a number that the core gives and gets back.
using Token = std::uint32_t;

/// What a look-up of one line did, sector by sector.
struct L1Outcome {
  SectorMask hit = 0, pending = 0, sector_miss = 0, miss = 0;
  SectorMask request = 0;     ///< sectors to fetch from the L2
  bool evicted = false;       ///< a line left, or was removed by a store
  SectorMask write_back = 0;  ///< dirty sectors of a line that left
  LineAddr victim;            ///< the evicted line
};

class TimedL1 {
 public:
  /// Lines from `private_from` on are private memory.
  TimedL1(const L1Config& config, std::uint64_t seed, std::uint64_t private_from = kNoPrivateMemory);

  /// Looks up sectors (not 0) of a line for a load; `token` waits for those that are not there: fill()
  /// returns it once for every load() whose outcome has sectors that are not hits. False: no entry, merge or
  /// way is free, nothing has changed.
  bool load(LineAddr line, SectorMask sectors, Token token, L1Outcome& outcome);
  /// A load of sectors (not 0) that are all there: as load(), which then changes nothing else. False: some are not, nothing has changed.
  bool load_hit(LineAddr line, SectorMask sectors) {
    const std::uint32_t way = places_.find(line.value());
    if (way == kNone || (sectors & ~lines_[way].valid) != 0) return false;
    if (is_segmented_)
      note_use(way, line, sectors, false);
    else if (policy_ || lines_[way].newer != kNone)
      touch(way, line, sectors, false);
    return true;
  }
  /// The first look-up of a request comes, perhaps again.
  void begin_request() {
    absent_.begin_request();
    used_line_ = kNoLine;
  }
  /// The same for a store, which never waits. False: it would allocate, and no way is free.
  bool store(LineAddr line, SectorMask sectors, L1Outcome& outcome);
  /// Sectors that were asked for arrive. Appends the tokens whose last sector of the line this was. An
  /// outcome with a victim if the line takes its place only now.
  void fill(LineAddr line, SectorMask sectors, std::vector<Token>& done, L1Outcome& outcome);
  /// Everything leaves, without write-backs. No miss may be outstanding.
  void invalidate();

  /// Three steps, some simulated cycles apart and before a look-up, which change nothing: the host fetches where the line is found,
  /// its way, and the ways that change with it. Other cores' tables have come between.
  void prefetch(LineAddr line) const { places_.prefetch(line.value()); }
  void prefetch_way(LineAddr line) const {
    const std::uint32_t way = places_.first(line.value());
    if (way != kNone) __builtin_prefetch(&lines_[way], 1);
  }
  /// Calls `use(vector)` for each of those in which the misses are that are outstanding: what fill() will read.
  template <class Use>
  void each_of_outstanding(const Use& use) const {
    use(entries_);
    use(waiters_);
  }
  void prefetch_neighbours(LineAddr line) const {
    const std::uint32_t at = places_.first(line.value());
    if (at == kNone || lines_[at].newer == kNone) return;
    __builtin_prefetch(&lines_[lines_[at].newer], 1);
    if (lines_[at].older != kNone) __builtin_prefetch(&lines_[lines_[at].older], 1);
  }
  /// Of stores to the line.
  [[nodiscard]] const WritePolicy& write_policy(LineAddr line) const { return write_.of(line.value()); }
  [[nodiscard]] std::size_t outstanding() const { return entries_.size() - free_entries_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  /// Two in a line of the host's cache: nearly every look-up reads one.
  struct alignas(32) Way {
    std::uint64_t line = 0;
    std::uint64_t last_use = 0;   ///< SlruRule's, if that decides
    std::uint32_t entry = kNone;  ///< entry of its outstanding miss; until it arrives, the line cannot leave
    std::uint32_t newer = kNone, older = kNone;  ///< least recently used order of the set
    SectorMask valid = 0, dirty = 0;
    std::uint8_t protection = 0;  ///< SlruRule's
    bool used : 1 = false;
    bool removed : 1 = false;  ///< a store removed it while it was on its way
  };
  static_assert(sizeof(Way) == 32);
  struct MshrEntry {
    std::uint64_t line = 0;
    std::uint32_t way = kNone;      ///< kNone while the line has no place
    std::uint32_t waiters = kNone;  ///< head of the list of waiting requests, first come first
    std::uint32_t last = kNone;
    std::uint32_t merged = 0;
    SectorMask requested = 0;
  };
  struct Waiter {
    Token token = 0;
    std::uint32_t next = kNone;
    SectorMask missing = 0;
  };

  [[nodiscard]] std::uint32_t set_of(LineAddr line) const;
  /// Least recently used: the ways of a set are linked in that order.
  [[nodiscard]] bool is_linked() const { return !is_segmented_ && !policy_; }
  /// Of SlruRule: the way is empty.
  void forget_uses(std::uint32_t way) {
    lines_[way].last_use = 0;
    lines_[way].protection = 0;
  }
  [[nodiscard]] Reference reference(std::uint32_t way, LineAddr line, bool is_store) const;
  void touch(std::uint32_t way, LineAddr line, SectorMask sectors, bool is_store, bool is_new = false);
  /// The same where SlruRule decides; sectors are not 0.
  void note_use(std::uint32_t way, LineAddr line, SectorMask sectors, bool is_new) {
    Way& w = lines_[way];
    clock_ += sectors_in(sectors);
    w.last_use = clock_;
    if (!goes_on(line, sectors, is_new)) w.protection = SlruRule::kProtection;
    used_line_ = line.value();
    used_sectors_ = sectors;
  }
  /// Sectors that come one by one are one look-up of the hardware, too.
  [[nodiscard]] bool goes_on(LineAddr line, SectorMask sectors, bool is_new) const {
    return is_new || (config_.sectors_apart && used_line_ == line.value() && used_sectors_ != sectors);
  }
  std::uint32_t find_victim(std::uint32_t set, LineAddr line, bool is_store);
  void drop(std::uint32_t way, L1Outcome& outcome);
  void drop_of_other_set(LineAddr line, bool is_store, L1Outcome& outcome);
  std::uint32_t allocate(std::uint32_t set, LineAddr line, SectorMask sectors, bool is_store,
                         L1Outcome& outcome);
  void evict_by_store(std::uint32_t way, L1Outcome& outcome);
  [[nodiscard]] bool has_room(std::uint32_t set) const {
    return pending_[set] < ways_ && all_pending_ < most_lines_;
  }
  [[nodiscard]] std::uint32_t entry_of(std::uint64_t line, std::uint32_t way) const;
  void remove(std::uint32_t way, L1Outcome& outcome);
  void unlink(std::uint32_t way);
  void link_newest(std::uint32_t way, std::uint32_t set);
  std::uint32_t open_entry(LineAddr line, std::uint32_t way);
  void add_waiter(MshrEntry& entry, Token token, SectorMask missing);

  L1Config config_;
  WriteRules write_;
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
  std::uint64_t used_line_ = kNoLine;  ///< the line that the request used last, where a policy decides
  SectorMask used_sectors_ = 0;        ///< and its sectors
  AbsentLines absent_;                 ///< lines that the request did not find, if stores hit by line
  SetIndexFunction index_;
  std::uint32_t sets_, ways_;
  std::uint32_t most_lines_;  ///< lines that there is memory for; kNone: as many as tags
  SetTurn turn_;
  bool is_segmented_;        ///< SLRU, kept here: the policy of each look-up, so not behind virtual calls
  std::uint64_t clock_ = 0;  ///< of uses
  std::unique_ptr<AnyReplacement> policy_;  ///< null: SLRU or least recently used, kept here
  std::vector<Way> lines_;                  ///< [set][way]
  std::vector<std::uint32_t> newest_, oldest_, filled_, pending_;  ///< indexed by set
  std::uint32_t all_pending_ = 0;
  LineIndex<Way> places_;  ///< line → index in lines_
  LineTable outstanding_;  ///< line → entry, of those without a way
  std::vector<MshrEntry> entries_;
  std::vector<std::uint32_t> free_entries_;
  std::vector<Waiter> waiters_;
  std::uint32_t free_waiter_ = kNone;
};

}  // namespace warpscope::timed
