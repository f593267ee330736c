#include "wrapper/recording/recording.h"

#include <algorithm>
#include <new>

#include "traces/program/work_group_trace.h"
#include "wrapper/recording/box_recording.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kLargestRepeat = std::numeric_limits<std::uint32_t>::max();

/// As Recording::find(), of the accesses of `slot`, whose tokens have the number `index`.
std::optional<std::uint64_t> find_in(const Slot& slot, std::span<const Token> tokens, std::uint32_t index,
                                     std::uint64_t address, std::uint64_t way, const SiteInfo& info) {
  if (!has_address(info.kind) || slot.delta == Slot::kUnused) return {};
  std::uint64_t at = slot.first + way;
  const auto is_it = [&] { return is_access_to(address, at, info.width); };
  bool found = is_it();
  const auto follow = [&](std::int64_t delta, std::uint64_t repeat) {
    for (; repeat > 0 && !found; --repeat) {
      at += static_cast<std::uint64_t>(delta);
      found = is_it();
    }
  };
  for (const Token& token : tokens)
    if (token.slot == index) follow(token.delta, token.repeat);
  follow(slot.delta, slot.repeat);
  return found ? std::optional(at) : std::nullopt;
}

}  // namespace

/// Appends one run, in pieces when it is longer than a token can say; the builder joins the pieces again.
/// Called from inside a kernel: nothing may be thrown.
template <class MakeToken, class AnyLog>
void Recording::push_run(AnyLog& log, std::uint64_t repeat, const MakeToken& make) {
  const bool is_plain =
      repeat - 1 < kLargestRepeat && tokens_.size() + outcome_tokens_.size() < most_records_;
  if (is_plain && log.push_into_room(make(static_cast<std::uint32_t>(repeat)))) [[likely]]
    return;
  push_slowly(log, repeat, make);
}

/// As push_run(), also where the log has no room, has too much, or takes nothing any more.
template <class MakeToken, class AnyLog>
[[gnu::noinline]] void Recording::push_slowly(AnyLog& log, std::uint64_t repeat, const MakeToken& make) {
  if (overflowed_) return;
  if (tokens_.size() + outcome_tokens_.size() >= most_records_ && !make_room()) return;
  for (; repeat > kLargestRepeat; repeat -= kLargestRepeat)
    if (!push(log, make(static_cast<std::uint32_t>(kLargestRepeat)))) return;
  if (repeat > 0) push(log, make(static_cast<std::uint32_t>(repeat)));
}

template <class AnyLog, class AnyToken>
bool Recording::push(AnyLog& log, const AnyToken& token) {
  try {
    log.push(token);
    return true;
  } catch (const std::bad_alloc&) {  // the log cannot grow, but be emptied
  }
  if (!make_room()) return false;
  try {
    log.push(token);
    return true;
  } catch (const std::bad_alloc&) {
    overflow("");
  }
  return false;
}

/// Moves what is in memory to a file; whether there is one.
bool Recording::make_room() noexcept {
  if (overflowed_) return false;
  try {
    if (file_ == nullptr) file_ = std::make_unique<RecordFile>(items_, sites_);
    file_->add({tokens_.begin(), tokens_.end()}, {outcome_tokens_.begin(), outcome_tokens_.end()});
    tokens_.clear();
    outcome_tokens_.clear();
    return true;
  } catch (const std::bad_alloc&) {
    overflow("");
  } catch (const std::exception& error) {
    overflow_for_want_of_file(error.what());
  }
  return false;
}

bool Recording::complete_file() {
  if (!make_room()) return false;
  tokens_.release();
  outcome_tokens_.release();
  return true;
}

void Recording::overflow_for_want_of_file(const char* why) noexcept {
  try {
    overflow(advice_for_file(why).c_str());
  } catch (const std::bad_alloc&) {
    overflow("");
  }
}

void Recording::overflow(const char* why) noexcept {
  overflowed_ = true;
  try {
    why_overflowed_ = why;
  } catch (const std::bad_alloc&) {  // then it is for want of memory
  }
  file_.reset();
  tokens_.release();
  outcome_tokens_.release();
  for (auto& item_order : order_) std::vector<SiteId>().swap(item_order);
}

void Recording::release() {
  reset(0, 0);
  tokens_.release();
  outcome_tokens_.release();
}

void Recording::note_order(std::uint32_t site, std::uint32_t item) {
  if (overflowed_) return;
  if (++order_entries_ > kMaxRecordedOrder)
    return overflow(
        "it has more than 2^26 accesses, which is as many as --record-order can keep; leave out "
        "--record-order");
  try {
    order_[item].push_back(SiteId(site));
  } catch (const std::bad_alloc&) {
    overflow("");
  }
}

void Recording::reset(std::uint32_t items, std::uint32_t sites) {
  items_ = items;
  sites_ = sites;
  is_by_warps_ = false;
  slots_.assign(std::size_t{items} * sites, Slot{});
  forget();
}

void Recording::reset_for_warps(std::uint32_t items, std::uint32_t sites) {
  items_ = items;
  sites_ = sites;
  is_by_warps_ = true;
  warps_ = (items + LaneSlots::kLanes - 1) / LaneSlots::kLanes;
  lane_slots_.resize(std::size_t{sites} * warps_);
  are_lanes_used_.assign(lane_slots_.size(), 0);
  forget();
}

void Recording::forget() {
  last_ = kNoSlot;
  overflowed_ = false;
  why_overflowed_.clear();
  file_.reset();
  order_entries_ = 0;
  outcomes_.assign(items_, OutcomeState{});
  tokens_.clear();
  outcome_tokens_.clear();
  order_.resize(items_);
  for (auto& item_order : order_) item_order.clear();
  walks_ = {};
}

void Recording::change_run(Slot& slot, std::uint32_t index, std::uint64_t address, std::int64_t delta) {
  if (slot.delta == Slot::kUnused) {
    slot.first = address;
    slot.delta = 0;
    return;
  }
  push_run(tokens_, slot.repeat, [&](std::uint32_t repeat) { return Token{slot.delta, index, repeat}; });
  slot.delta = delta;
  slot.repeat = 1;
}

void Recording::change_runs(LaneSlots& slots, std::uint32_t lanes, const std::int64_t* steps,
                            std::uint32_t site, std::uint32_t warp) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    if (slots.delta[lane] == Slot::kUnused) {
      slots.first[lane] = slots.last[lane];
      slots.delta[lane] = 0;
      continue;
    }
    if (slots.repeat[lane] != 0)
      push_run(tokens_, slots.repeat[lane], [&](std::uint32_t repeat) {
        return Token{slots.delta[lane], (warp * LaneSlots::kLanes + lane) * sites_ + site, repeat};
      });
    slots.delta[lane] = steps[lane];
    slots.repeat[lane] = 1;
  }
}

void Recording::spill(OutcomeState& state, std::uint32_t outcome, std::uint32_t bits, std::uint32_t item) {
  const std::uint64_t word = state.bits;
  state.fill -= 64;
  state.bits = state.fill == 0 ? 0 : std::uint64_t{outcome} >> (bits - state.fill);
  if (state.pending_repeat > 0 && word == state.pending) {
    ++state.pending_repeat;
    return;
  }
  push_run(outcome_tokens_, state.pending_repeat, [&](std::uint32_t repeat) {
    return OutcomeToken{state.pending, item, repeat};
  });
  state.pending = word;
  state.pending_repeat = 1;
}

std::optional<std::uint64_t> Recording::find(std::uint32_t item, std::uint32_t site, std::uint64_t address,
                                             std::uint64_t way, const SiteInfo& info) const {
  const std::uint32_t index = item * sites_ + site;
  return find_in(slots_[index], {tokens_.begin(), tokens_.end()}, index, address, way, info);
}

std::optional<std::uint64_t> ItemRecord::find(std::uint32_t site, std::uint64_t address, std::uint64_t way,
                                              const SiteInfo& info) const {
  return find_in(slots[site], tokens, site, address, way, info);
}

void Recording::add_item(const ItemRecord& origin, std::uint32_t item,
                         const std::array<std::int64_t, 3>& distance,
                         std::span<const std::array<std::int64_t, 3>> strides) {
  for (std::uint32_t site = 0; site < sites_; ++site) {
    Slot& slot = slots_[item * sites_ + site] = origin.slots[site];
    if (slot.delta == Slot::kUnused) continue;
    std::uint64_t way = 0;
    for (std::size_t d = 0; d < distance.size(); ++d)
      way += static_cast<std::uint64_t>(strides[site][d]) * static_cast<std::uint64_t>(distance[d]);
    slot.first += way;
    slot.last += way;
  }
  outcomes_[item] = *origin.outcomes;
  for (const Token& token : origin.tokens)
    push_run(tokens_, token.repeat, [&](std::uint32_t repeat) {
      return Token{token.delta, item * sites_ + token.slot, repeat};
    });
  for (const OutcomeToken& token : origin.outcome_tokens)
    push_run(outcome_tokens_, token.repeat, [&](std::uint32_t repeat) {
      return OutcomeToken{token.word, item, repeat};
    });
}

void Recording::add_box(const ItemRecord& origin, const Box& box,
                        std::span<const std::array<std::int64_t, 3>> strides, Dim3 local) {
  for_items(box, local, [&](std::uint32_t item, const std::array<std::int64_t, 3>& distance) {
    add_item(origin, item, distance, strides);
  });
}

void Recording::add_box(const Recording& origin, const Box& box,
                        std::span<const std::array<std::int64_t, 3>> strides, Dim3 local) {
  if (origin.overflowed_) return overflow(origin.why_overflowed_.c_str());
  for_items(box, local, [&](std::uint32_t item, const std::array<std::int64_t, 3>& distance) {
    if (origin.file_ != nullptr) add_filed(origin, item);
    add_item(origin.item(), item, distance, strides);
  });
}

/// What the one work-item of `origin` did that is in its file, as what `item` does.
void Recording::add_filed(const Recording& origin, std::uint32_t item) {
  RecordFile::RunCursor runs(*origin.file_);
  for (std::uint32_t site = 0; site < sites_; ++site)
    runs.visit(0, site, [&](std::int64_t delta, std::uint64_t repeat) {
      push_run(tokens_, repeat, [&](std::uint32_t part) { return Token{delta, item * sites_ + site, part}; });
    });
  origin.file_->words().visit(0, [&](std::uint64_t word, std::uint64_t repeat) {
    push_run(outcome_tokens_, repeat, [&](std::uint32_t part) { return OutcomeToken{word, item, part}; });
  });
}

bool RecordingShape::take(const Recording& recording) {
  clear();
  if (recording.has_overflowed() || recording.file() != nullptr ||
      recording.tokens().size() + recording.outcome_tokens().size() > kMostRuns)
    return false;
  const ItemRecord item = recording.item();
  slots_.assign(item.slots.begin(), item.slots.end());
  outcomes_ = *item.outcomes;
  tokens_.assign(item.tokens.begin(), item.tokens.end());
  outcome_tokens_.assign(item.outcome_tokens.begin(), item.outcome_tokens.end());
  return true;
}

void RecordingShape::move(std::span<const std::uint64_t> ways) {
  for (std::size_t site = 0; site < slots_.size(); ++site) {
    if (slots_[site].delta == Slot::kUnused) continue;
    slots_[site].first += ways[site];
    slots_[site].last += ways[site];
  }
}

bool RecordingShape::is_of(const ItemRecord& item) const {
  if (slots_.empty() || slots_.size() != item.slots.size() || outcomes_ != *item.outcomes) return false;
  bool equal = true;
  for (std::size_t site = 0; site < slots_.size(); ++site)
    equal &= item.slots[site].delta == slots_[site].delta && item.slots[site].repeat == slots_[site].repeat;
  return equal && std::ranges::equal(tokens_, item.tokens) &&
         std::ranges::equal(outcome_tokens_, item.outcome_tokens);
}

std::size_t Recording::memory_bytes() const {
  std::size_t bytes = slots_.capacity() * sizeof(Slot) + lane_slots_.capacity() * sizeof(LaneSlots) +
                      outcomes_.capacity() * sizeof(OutcomeState) + tokens_.capacity_bytes() +
                      outcome_tokens_.capacity_bytes();
  if (file_ != nullptr) bytes += file_->memory_bytes();
  for (const auto& item_order : order_) bytes += item_order.capacity() * sizeof(SiteId);
  return bytes;
}

}  // namespace warpscope
