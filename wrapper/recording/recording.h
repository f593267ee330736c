#pragma once
// What one host thread records while it runs a work-group: run-length coded addresses per (work-item, site)
// and branch outcomes per work-item. PoCL runs the work-items of a group one after another between two
// barriers, so a work-item's records come in several pieces; because every record goes to its own slot, that
// order leaves no mark.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/kernel_info.h"
#include "traces/program/work_group_trace.h"
#include "wrapper/recording/address_guard.h"
#include "wrapper/recording/spill/lane_slots.h"
#include "wrapper/recording/spill/record_file.h"
#include "wrapper/recording/spill/records.h"

namespace warpscope {

/// A growing array whose append is two instructions in the common case and whose memory is reused.
template <class T>
class Log {
 public:
  void push(const T& value) {
    if (size_ == data_.size()) [[unlikely]]
      data_.resize(data_.empty() ? 4096 : 2 * data_.size());
    data_[size_++] = value;
  }
  /// push() if that needs no memory; whether it does not.
  bool push_into_room(const T& value) {
    if (size_ == data_.size()) [[unlikely]]
      return false;
    data_[size_++] = value;
    return true;
  }
  void clear() { size_ = 0; }
  /// Also gives the memory back.
  void release() {
    clear();
    std::vector<T>().swap(data_);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T* begin() const { return data_.data(); }
  [[nodiscard]] const T* end() const { return data_.data() + size_; }
  [[nodiscard]] std::size_t capacity_bytes() const { return data_.size() * sizeof(T); }

 private:
  std::vector<T> data_;
  std::size_t size_ = 0;
};

struct Box;
class Recording;

/// What one work-item did. `slots`: by site; tokens name these.
struct ItemRecord {
  std::span<const Slot> slots;
  const OutcomeState* outcomes = nullptr;
  std::span<const Token> tokens;
  std::span<const OutcomeToken> outcome_tokens;

  /// As Recording::find(), of this work-item.
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint32_t site, std::uint64_t address,
                                                  std::uint64_t way, const SiteInfo& info) const;
};

/// What the one work-item of a recording did, apart from where it began to access.
class RecordingShape {
 public:
  static constexpr std::size_t kMostRuns = 4096;  ///< longer ones are not compared

  /// Takes what `recording` has; nothing if there is too much. Returns whether it did.
  bool take(const Recording& recording);
  void clear() { slots_.clear(); }
  [[nodiscard]] bool is_of(const ItemRecord& item) const;
  [[nodiscard]] ItemRecord item() const { return {slots_, &outcomes_, tokens_, outcome_tokens_}; }
  /// Moves the accesses of each site by so many bytes.
  void move(std::span<const std::uint64_t> ways);
  [[nodiscard]] std::size_t memory_bytes() const {
    return slots_.capacity() * sizeof(Slot) + tokens_.capacity() * sizeof(Token) +
           outcome_tokens_.capacity() * sizeof(OutcomeToken);
  }

 private:
  std::vector<Slot> slots_;  ///< empty: nothing was taken
  OutcomeState outcomes_;
  std::vector<Token> tokens_;
  std::vector<OutcomeToken> outcome_tokens_;
};

/// The records of one work-group. `slots` is work-item major: the sites of one work-item are side by side,
/// because they are used together. Of machine code it is by site and warp instead: begin_lanes().
class Recording {
 public:
  /// What recording an irregular access and building the work-group from it take, in bytes: the record, the
  /// same sorted, and its share of the shapes and of the encoded form.
  static constexpr std::uint64_t kBytesPerRecord = 48;

  /// What takes more than `bytes` goes to a temporary file, in steps of that much.
  void limit_memory(std::uint64_t bytes) { most_records_ = std::max(bytes / kBytesPerRecord, kLeastRecords); }
  static constexpr std::uint64_t kLeastRecords = 64;

  /// Forgets everything; room for `items` work-items and `sites` sites.
  void reset(std::uint32_t items, std::uint32_t sites);
  /// The same for a kernel that runs warp by warp: access_lanes(), branch_lanes() and sync_lanes() record it.
  void reset_for_warps(std::uint32_t items, std::uint32_t sites);
  [[nodiscard]] bool is_by_warps() const { return is_by_warps_; }

  /// access() of the lanes of a warp; `addresses`: one of each of the 32.
  void access_lanes(const std::uint64_t* addresses, std::uint32_t lanes, std::uint32_t site,
                    std::uint32_t warp) {
    const std::size_t place = std::size_t{site} * warps_ + warp;
    LaneSlots& slots = lane_slots_[place];
    if (are_lanes_used_[place] == 0) {
      are_lanes_used_[place] = 1;
      slots.begin(addresses, lanes);
      return;
    }
    std::int64_t steps[LaneSlots::kLanes];
    if (const std::uint32_t others = slots.access(addresses, lanes, steps); others != 0)
      change_runs(slots, others, steps, site, warp);
  }
  /// branch() of lanes with one bit: those in `taken` have outcome 1.
  void branch_lanes(std::uint32_t taken, std::uint32_t lanes, std::uint32_t warp) {
    OutcomeState* const outcomes = &outcomes_[std::size_t{warp} * LaneSlots::kLanes];
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      OutcomeState& state = outcomes[lane];
      const std::uint32_t outcome = taken >> lane & 1;
      state.bits |= std::uint64_t{outcome} << state.fill;
      if (++state.fill >= 64) [[unlikely]]
        spill(state, outcome, 1, warp * LaneSlots::kLanes + lane);
    }
  }
  /// sync() of lanes.
  void sync_lanes(std::uint32_t lanes, std::uint32_t site, std::uint32_t warp) {
    constexpr std::uint64_t kNowhere[LaneSlots::kLanes] = {};
    access_lanes(kNowhere, 0, site, warp);  // makes them known
    LaneSlots& slots = lane_slots_[std::size_t{site} * warps_ + warp];
    for (std::uint32_t lane = 0; lane < LaneSlots::kLanes; ++lane) slots.repeat[lane] += lanes >> lane & 1;
  }
  /// What the lanes of a warp noted at a site; null if none of them executed it. Requires is_by_warps().
  [[nodiscard]] const LaneSlots* lanes_at(std::uint32_t site, std::uint32_t warp) const {
    const std::size_t place = std::size_t{site} * warps_ + warp;
    return are_lanes_used_[place] != 0 ? &lane_slots_[place] : nullptr;
  }

  void access(std::uint64_t address, std::uint32_t site, std::uint32_t item) {
    const std::uint32_t index = item * sites_ + site;
    last_ = index;
    Slot& slot = slots_[index];
    const auto delta = static_cast<std::int64_t>(address - slot.last);
    slot.last = address;
    if (delta == slot.delta) [[likely]] {
      ++slot.repeat;
      return;
    }
    change_run(slot, index, address, delta);
  }

  /// Of each site; for launches whose addresses are checked.
  void set_rooms(std::vector<SiteRoom> rooms) { rooms_ = std::move(rooms); }
  [[nodiscard]] SiteRoom& room(std::uint32_t site) { return rooms_[site]; }

  void branch(std::uint32_t outcome, std::uint32_t bits, std::uint32_t item) {
    OutcomeState& state = outcomes_[item];
    state.bits |= std::uint64_t{outcome} << state.fill;
    state.fill += bits;
    if (state.fill >= 64) [[unlikely]]
      spill(state, outcome, bits, item);
  }

  void sync(std::uint32_t site, std::uint32_t item) {
    last_ = item * sites_ + site;
    ++slots_[last_].repeat;
  }

  /// Of a work-group of machine code: how its warps went.
  void set_walks(GroupWalks walks) { walks_ = std::move(walks); }
  [[nodiscard]] const GroupWalks& walks() const { return walks_; }

  /// Only with --record-order.
  void note_order(std::uint32_t site, std::uint32_t item);

  /// Records what the work-items of a box did: as `origin` did, at addresses that are strides[site][d] bytes further
  /// per step in dimension d. `local`: the work-group's size.
  void add_box(const ItemRecord& origin, const Box& box, std::span<const std::array<std::int64_t, 3>> strides,
               Dim3 local);
  /// The same of the one work-item of a recording.
  void add_box(const Recording& origin, const Box& box, std::span<const std::array<std::int64_t, 3>> strides,
               Dim3 local);
  /// Of the one work-item.
  [[nodiscard]] ItemRecord item() const {
    return {slots_,
            outcomes_.data(),
            {tokens_.begin(), tokens_.end()},
            {outcome_tokens_.begin(), outcome_tokens_.end()}};
  }

  /// The first access of a site to the byte at `address`, or to a place that no process can have if that is 0,
  /// with all accesses `way` bytes further than recorded. For signal handlers.
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint32_t item, std::uint32_t site,
                                                  std::uint64_t address, std::uint64_t way,
                                                  const SiteInfo& info) const;

  /// There was neither memory nor a temporary file for the work-group: what was recorded of it is gone.
  [[nodiscard]] bool has_overflowed() const { return overflowed_; }
  /// Why, for people; empty: no memory.
  [[nodiscard]] const std::string& why_overflowed() const { return why_overflowed_; }
  /// Not null: tokens() and outcome_tokens() come after those in this file.
  [[nodiscard]] const RecordFile* file() const { return file_.get(); }
  /// Moves what is in memory to the file, too, and gives the memory back. Only with file(). False: has_overflowed().
  bool complete_file();
  /// Calls visit(site, delta, repeat) for all runs of the one work-item of a recording; those of a site in order, and
  /// without the one that is still growing.
  template <class Visit>
  void for_each_run(Visit visit) const;
  /// Forgets everything, and gives the memory back.
  void release();
  /// Position in slots (item * sites + site) of the last access or barrier; kNoSlot before the first.
  [[nodiscard]] std::uint32_t last_slot() const { return last_; }
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t items() const { return items_; }
  [[nodiscard]] std::uint32_t sites() const { return sites_; }
  [[nodiscard]] Slot slot(std::uint32_t item, std::uint32_t site) const {
    if (!is_by_warps_) return slots_[item * sites_ + site];
    const LaneSlots* const lanes = lanes_at(site, item / LaneSlots::kLanes);
    return lanes != nullptr ? lanes->at(item % LaneSlots::kLanes) : Slot{};
  }
  [[nodiscard]] const OutcomeState& outcomes(std::uint32_t item) const { return outcomes_[item]; }
  [[nodiscard]] const Log<Token>& tokens() const { return tokens_; }
  [[nodiscard]] const Log<OutcomeToken>& outcome_tokens() const { return outcome_tokens_; }
  [[nodiscard]] const std::vector<std::vector<SiteId>>& order() const { return order_; }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  void change_run(Slot& slot, std::uint32_t index, std::uint64_t address, std::int64_t delta);
  void change_runs(LaneSlots& slots, std::uint32_t lanes, const std::int64_t* steps, std::uint32_t site,
                   std::uint32_t warp);
  void forget();
  void spill(OutcomeState& state, std::uint32_t outcome, std::uint32_t bits, std::uint32_t item);
  template <class MakeToken, class AnyLog>
  void push_run(AnyLog& log, std::uint64_t repeat, const MakeToken& make);
  template <class MakeToken, class AnyLog>
  void push_slowly(AnyLog& log, std::uint64_t repeat, const MakeToken& make);
  template <class AnyLog, class AnyToken>
  bool push(AnyLog& log, const AnyToken& token);
  bool make_room() noexcept;
  void overflow(const char* why) noexcept;
  void overflow_for_want_of_file(const char* why) noexcept;
  void add_filed(const Recording& origin, std::uint32_t item);
  void add_item(const ItemRecord& origin, std::uint32_t item, const std::array<std::int64_t, 3>& distance,
                std::span<const std::array<std::int64_t, 3>> strides);

  std::vector<Slot> slots_;
  bool is_by_warps_ = false;
  std::uint32_t warps_ = 0;
  std::vector<LaneSlots> lane_slots_;         ///< by site and warp; each begins when it is used
  std::vector<std::uint8_t> are_lanes_used_;  ///< of these
  std::vector<SiteRoom> rooms_;
  std::vector<OutcomeState> outcomes_;
  std::uint32_t items_ = 0;
  std::uint32_t sites_ = 0;
  std::uint32_t last_ = kNoSlot;
  bool overflowed_ = false;
  std::string why_overflowed_;
  std::unique_ptr<RecordFile> file_;
  std::uint64_t most_records_ = ~std::uint64_t{0};
  std::uint64_t order_entries_ = 0;
  Log<Token> tokens_;
  Log<OutcomeToken> outcome_tokens_;
  std::vector<std::vector<SiteId>> order_;
  GroupWalks walks_;
};

template <class Visit>
void Recording::for_each_run(Visit visit) const {
  if (file_ != nullptr) {
    RecordFile::RunCursor cursor(*file_);
    for (std::uint32_t site = 0; site < sites_; ++site)
      cursor.visit(0, site, [&](std::int64_t delta, std::uint64_t repeat) { visit(site, delta, repeat); });
  }
  for (const Token& token : tokens_) visit(token.slot, token.delta, token.repeat);
}

}  // namespace warpscope
