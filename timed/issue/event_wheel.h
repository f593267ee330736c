#pragma once
// Events of the near future by cycle; what is further ahead waits in a heap.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "timed/config/config.h"

namespace warpscope::timed {

class EventWheel {
 public:
  /// What the core does at a cycle: a number that only the core understands.
  using Event = std::uint32_t;

  /// Events of 0 to `own` - 1 have a place of their own.
  explicit EventWheel(std::size_t own = 0) : own_(static_cast<std::uint32_t>(own)), nodes_(own) {
    heads_.fill(kNone);
  }

  /// `at` > `now`, the cycle up to which take() was called.
  void add(Cycle now, Cycle at, Event event) {
    if (at - now >= kSlots) return add_far(at, event);
    std::uint32_t node = free_;
    if (node == kNone) {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[node].next;
    }
    link(at % kSlots, node, event);
  }
  /// The same at the place of `who`, whose last event has been taken.
  void add_own(Cycle now, Cycle at, std::uint32_t who, Event event) {
    if (at - now >= kSlots) return add_far(at, event);
    link(at % kSlots, who, event);
  }

  /// Whether take() has something to do.
  [[nodiscard]] bool has(Cycle now) const {
    return heads_[now % kSlots] != kNone || (!far_.empty() && far_.front().first <= now);
  }
  /// Calls `use` for every event of cycle `now`, in an order that is the same in every run. Every cycle with
  /// events must be taken; `use` may add events for later cycles.
  template <class Use>
  void take(Cycle now, Use&& use) {
    while (!far_.empty() && far_.front().first <= now) {
      const Event event = far_.front().second;
      std::pop_heap(far_.begin(), far_.end(), later);
      far_.pop_back();
      use(event);
    }
    const std::size_t slot = now % kSlots;
    std::uint32_t node = heads_[slot];
    if (node == kNone) return;
    heads_[slot] = kNone;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    while (node != kNone) {
      const Node here = nodes_[node];
      if (node >= own_) {
        nodes_[node].next = free_;
        free_ = node;
      }
      use(here.event);
      node = here.next;
    }
  }

  /// The first cycle after `now` with an event; kNever, or `limit`, if there is none before it.
  [[nodiscard]] Cycle next_after(Cycle now, Cycle limit = kNever) const {
    const Cycle next = far_.empty() ? limit : std::min(limit, far_.front().first);
    const std::size_t from = (now + 1) % kSlots;
    const std::uint64_t soon = occupied_[from / 64] >> (from % 64);
    if (soon != 0) return std::min(next, now + 1 + static_cast<Cycle>(std::countr_zero(soon)));
    if (next - now <= 64 - from % 64) return next;
    for (std::size_t step = 0; step <= kWords; ++step) {
      const std::size_t word = (from / 64 + step) % kWords;
      std::uint64_t bits = occupied_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (from % 64);
      if (step == kWords) bits &= (std::uint64_t{1} << (from % 64)) - 1;
      if (bits == 0) continue;
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return std::min(next, now + 1 + (slot + kSlots - from) % kSlots);
    }
    return next;
  }

 private:
  static constexpr std::size_t kSlots = 256, kWords = kSlots / 64;
  static constexpr std::uint32_t kNone = ~0u;
  struct Node {
    Event event = 0;
    std::uint32_t next = kNone;
  };
  using Far = std::pair<Cycle, Event>;
  static bool later(const Far& a, const Far& b) { return a > b; }

  void add_far(Cycle at, Event event) {
    far_.emplace_back(at, event);
    std::push_heap(far_.begin(), far_.end(), later);
  }
  void link(std::size_t slot, std::uint32_t node, Event event) {
    nodes_[node] = {event, heads_[slot]};
    heads_[slot] = node;
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  std::uint32_t own_;
  std::array<std::uint32_t, kSlots> heads_;
  std::array<std::uint64_t, kWords> occupied_{};
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::vector<Far> far_;
};

}  // namespace warpscope::timed
