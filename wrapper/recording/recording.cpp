#include "wrapper/recording/recording.h"

#include <algorithm>
#include <new>

#include "traces/program/work_group_trace.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kLargestRepeat = std::numeric_limits<std::uint32_t>::max();

}  // namespace

/// Appends one run, in pieces when it is longer than a token can say; the builder joins the pieces again.
/// Called from inside a kernel: nothing may be thrown.
template <class MakeToken, class AnyLog>
void Recording::push_run(AnyLog& log, std::uint64_t repeat, const MakeToken& make) {
  if (overflowed_) return;
  if (tokens_.size() + outcome_tokens_.size() >= most_records_) return overflow();
  try {
    while (repeat > kLargestRepeat) {
      log.push(make(static_cast<std::uint32_t>(kLargestRepeat)));
      repeat -= kLargestRepeat;
    }
    if (repeat > 0) log.push(make(static_cast<std::uint32_t>(repeat)));
  } catch (const std::bad_alloc&) {
    overflow();
  }
}

void Recording::overflow() {
  overflowed_ = true;
  tokens_.release();
  outcome_tokens_.release();
  std::vector<std::vector<SiteId>>(items_).swap(order_);
}

void Recording::note_order(std::uint32_t site, std::uint32_t item) {
  if (overflowed_) return;
  if (++order_entries_ > kMaxRecordedOrder) return overflow();
  try {
    order_[item].push_back(SiteId(site));
  } catch (const std::bad_alloc&) {
    overflow();
  }
}

void Recording::reset(std::uint32_t items, std::uint32_t sites) {
  items_ = items;
  sites_ = sites;
  last_ = kNoSlot;
  overflowed_ = false;
  order_entries_ = 0;
  slots_.assign(std::size_t{items} * sites, Slot{});
  outcomes_.assign(items, OutcomeState{});
  tokens_.clear();
  outcome_tokens_.clear();
  order_.resize(items);
  for (auto& item_order : order_) item_order.clear();
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

std::size_t Recording::memory_bytes() const {
  std::size_t bytes = slots_.capacity() * sizeof(Slot) + outcomes_.capacity() * sizeof(OutcomeState) +
                      tokens_.capacity_bytes() + outcome_tokens_.capacity_bytes();
  for (const auto& item_order : order_) bytes += item_order.capacity() * sizeof(SiteId);
  return bytes;
}

}  // namespace warpscope
