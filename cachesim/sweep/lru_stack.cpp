#include "cachesim/sweep/lru_stack.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "traces/base/simd.h"

namespace warpscope {

StackCounts::StackCounts(std::uint32_t levels)
    : depth(levels), eviction_corrections(levels + 1), write_back_steps(levels + 2) {
  for (auto& kind : references) kind.resize(2 * std::size_t{levels} + 1);
}

StackCounts& StackCounts::operator+=(const StackCounts& other) {
  const auto add = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  for (std::size_t kind = 0; kind < references.size(); ++kind) add(references[kind], other.references[kind]);
  passing_stores += other.passing_stores;
  add(eviction_corrections, other.eviction_corrections);
  add(write_back_steps, other.write_back_steps);
  return *this;
}

std::uint64_t StackCounts::nowhere() const {
  std::uint64_t sum = passing_stores;
  for (const auto& kind : references)
    sum = std::accumulate(kind.begin() + static_cast<std::ptrdiff_t>(depth), kind.end(), sum);
  return sum;
}

std::uint64_t StackCounts::levels() const {
  std::uint64_t sum = nowhere() * depth;
  for (const auto& kind : references)
    for (std::uint32_t level = 0; level < depth; ++level) sum += kind[level] * (level + 1);
  return sum;
}

Counts StackCounts::of_ways(std::uint32_t ways, const WritePolicy& write) const {
  Counts counts;
  for (std::size_t kind = 0; kind < references.size(); ++kind) {
    KindCounts& here = counts.kind[kind];
    const bool allocates = kind != static_cast<std::size_t>(AccessKind::Store) || write.store_miss_allocates;
    const std::vector<std::uint64_t>& seen = references[kind];
    for (std::uint32_t level = 0; level < depth; ++level) {
      (level < ways ? here.hits : here.misses) += seen[level];
      if (allocates && level >= ways) counts.evictions += seen[level];
    }
    for (std::uint32_t taken = 0; taken <= depth; ++taken) {
      here.misses += seen[depth + taken];
      if (taken >= ways) counts.evictions += seen[depth + taken];
    }
  }
  KindCounts& stores = counts.of(AccessKind::Store);
  stores.misses += passing_stores;
  for (KindCounts& kind : counts.kind) kind.transactions = kind.hits + kind.misses;
  for (std::uint32_t level = ways; level <= depth; ++level) counts.evictions += eviction_corrections[level];
  if (write.store_hit_removes) counts.evictions += stores.hits;
  for (std::uint32_t level = 0; level <= ways; ++level) counts.write_backs += write_back_steps[level];
  return counts;
}

/// The innermost loops, compiled with AVX2 and without. A friend of LruStack.
struct StackKernel {
  struct Avx2;
  struct Plain;
};

#define STACK_KERNEL Avx2
#define STACK_KERNEL_TARGET WARPSCOPE_AVX2
#include "cachesim/sweep/lru_stack_kernel.inc"
#undef STACK_KERNEL
#undef STACK_KERNEL_TARGET

#define STACK_KERNEL Plain
#define STACK_KERNEL_TARGET
#include "cachesim/sweep/lru_stack_kernel.inc"
#undef STACK_KERNEL
#undef STACK_KERNEL_TARGET

LruStack::LruStack(std::uint32_t sets, std::uint32_t ways, const WritePolicy& write)
    : write_(write),
      depth_(levels(ways)),
      lists_(sets, depth_),
      disorder_(sets),
      clocks_(sets),
      dirty_(write.writes_back ? lists_.places() : 0),
      counts_(depth_) {}

std::uint64_t LruStack::bytes(std::uint32_t sets, std::uint32_t ways, const WritePolicy& write) {
  const std::uint32_t depth = levels(ways);
  const std::uint64_t set = std::uint64_t{write.store_miss_allocates ? 0u : 8u} * depth +
                            std::uint64_t{write.writes_back ? 2u : 0u} * SetLists::stride(depth) + 10;
  return SetLists::bytes(sets, depth) + sets * set;
}

void LruStack::process(const StackBatch& batch) {
  static const bool avx2 = simd::has_avx2();
  avx2 ? StackKernel::Avx2::process(*this, batch) : StackKernel::Plain::process(*this, batch);
}

void LruStack::process_without_avx2(const StackBatch& batch) {
  StackKernel::Plain::process(*this, batch);
}

/// Whether the batch is for the logs, which take over from the lists where these are in order.
bool LruStack::use_logs(const StackBatch& batch) {
  if (in_logs_ && batch.last_uses == nullptr) leave_logs();
  if (in_logs_) return true;
  if (batch.last_uses == nullptr || was_disturbed_ || disordered_ != 0 || write_.writes_back ||
      !SetLogs::can(depth_))
    return false;
  const auto sets = static_cast<std::uint32_t>(lists_.size());
  if (!logs_) logs_ = std::make_unique<SetLogs>(sets, depth_);
  for (std::uint32_t set = 0; set < sets; ++set) {
    logs_->fill(set, lists_.tags(set), lists_[set].taken);
    lists_.clear(set);
  }
  in_logs_ = true;
  return true;
}

/// A store is about to disturb the order of last uses.
void LruStack::leave_logs() {
  for (std::uint32_t set = 0; set < lists_.size(); ++set)
    lists_.take(set, logs_->newest_first(set, lists_.tags(set)));
  in_logs_ = false;
  was_disturbed_ = true;
}

/// Whether the host would often guess wrong if a line is the newest of its set again. In every 64th batch a
/// small predictor of its kind (two-bit counters by the last outcomes) says so.
bool LruStack::is_scattered(const StackBatch& batch) {
  constexpr std::size_t kSample = 1024, kBatchesPerSample = 64, kReferencesPerWrong = 8;
  if (batches_++ % kBatchesPerSample != 0) return scattered_;
  std::array<std::uint32_t, 256> newest{};
  std::array<std::uint8_t, 256> counters{};
  std::uint8_t history = 0;
  const std::size_t count = std::min(kSample, batch.count);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t before = std::exchange(newest[batch.sets[i] % newest.size()], batch.tags[i]);
    const bool again = before == batch.tags[i];
    std::uint8_t& counter = counters[history];
    wrong += std::size_t{again != (counter >= 2)};
    counter = static_cast<std::uint8_t>(again ? std::min(counter + 1, 3) : std::max(counter - 1, 0));
    history = static_cast<std::uint8_t>(history << 1 | std::uint8_t{again});
  }
  return scattered_ = wrong * kReferencesPerWrong > count;
}

/// A list in order of time is used at place `at` (kNowhere: a line comes in, `taken` levels were taken).
void LruStack::shift_dirty(std::uint32_t set, std::uint32_t at, std::uint32_t taken, bool store) {
  std::uint16_t* const levels = dirty(set);
  std::uint32_t dirty = 0;
  if (at == kNowhere) {
    if (taken == depth_) counts_.note_write_backs(levels[depth_ - 1], depth_ + 1);
    at = std::min(taken, depth_ - 1);
  } else {
    dirty = levels[at];
    counts_.note_write_backs(dirty, at + 1);
    if (dirty != 0) dirty = std::max(dirty, at + 1);
  }
  std::memmove(levels + 1, levels, at * sizeof(*levels));
  levels[0] = store ? std::uint16_t{1} : static_cast<std::uint16_t>(dirty);
}

/// A line that is nowhere comes into a list in order of time, with write-backs.
void LruStack::bring_in_dirty(std::uint32_t set, std::uint32_t tag, std::uint64_t reference, bool store) {
  counts_.note_write_backs(dirty(set)[depth_ - 1], depth_ + 1);
  lists_.bring_in(lists_[set], tag, reference, [this](std::size_t from, std::size_t to, std::size_t count) {
    std::memmove(&dirty_[to], &dirty_[from], count * sizeof(dirty_.front()));
  });
  *dirty(set) = store ? 1 : 0;
}

/// Gives a list in order of time its times.
void LruStack::note_times(std::uint32_t set) {
  if (disorder_[set] != 0) return;
  if (times_.empty()) times_.resize(lists_.size() * depth_);
  std::uint64_t* const times = &times_[row(set)];
  const std::uint32_t taken = lists_[set].taken;
  for (std::uint32_t at = 0; at < depth_; ++at) times[at] = at < taken ? taken - at : 0;
  clocks_[set] = taken;
}

/// Looks for the deepest place, at most `last`, that is newer than one above it.
void LruStack::find_disorder(std::uint32_t set, std::uint32_t last) {
  const std::uint64_t* const times = &times_[row(set)];
  std::uint64_t oldest = times[0];
  std::uint32_t deepest = 0;
  for (std::uint32_t at = 1; at <= last; ++at) {
    if (times[at] > oldest) deepest = at;
    oldest = std::min(oldest, times[at]);
  }
  disordered_ += std::uint32_t{deepest != 0} - std::uint32_t{disorder_[set] != 0};
  disorder_[set] = static_cast<std::uint16_t>(deepest);
}

/// A store hits in the caches that have the line at place `at`, and does not change which have it.
void LruStack::hit_by_store(std::uint32_t set, std::uint32_t at) {
  if (write_.writes_back) {
    std::uint16_t& level = dirty(set)[at];
    counts_.note_write_backs(level, at + 1);
    level = static_cast<std::uint16_t>(at + 1);
  }
  if (at == 0 && disorder_[set] == 0) return;
  note_times(set);
  times_[row(set) + at] = ++clocks_[set];
  find_disorder(set, std::max<std::uint32_t>(at, disorder_[set]));
}

/// A store removes the line at place `at`.
void LruStack::remove(std::uint32_t set, std::uint32_t at) {
  std::uint32_t* const tags = lists_.tags(set);
  tags[at] = 0;
  const std::uint32_t before = lists_[set].taken;
  std::uint32_t taken = before;
  while (taken > 0 && tags[taken - 1] == 0) --taken;
  if (disorder_[set] == 0 && at + 1 == before) {
    lists_.take(set, taken);
    return;
  }
  note_times(set);
  times_[row(set) + at] = 0;
  lists_.take(set, taken);
  find_disorder(set, std::max(taken, 1u) - 1);
}

/// A line is loaded that is at place `at` of a list that is not in order of time, or kNowhere.
void LruStack::load_out_of_order(std::uint32_t set, std::uint32_t at, std::uint32_t tag, AccessKind kind) {
  std::uint32_t* const tags = lists_.tags(set);
  std::uint64_t* const times = &times_[row(set)];
  std::uint16_t* const dirty = write_.writes_back ? this->dirty(set) : nullptr;
  const std::uint32_t taken = lists_[set].taken, seen_at = at == kNowhere ? depth_ + taken : at;
  const std::uint32_t last = at == kNowhere ? depth_ : at;
  ++counts_.references[static_cast<std::size_t>(kind)][seen_at];
  std::uint32_t own_dirty = 0;
  if (dirty != nullptr && at != kNowhere && dirty[at] != 0) {
    counts_.note_write_backs(dirty[at], at + 1);
    own_dirty = std::max<std::uint32_t>(dirty[at], at + 1);
  }
  std::uint32_t carried = tag, place = 0;
  std::uint64_t carried_time = ++clocks_[set];
  std::uint32_t carried_dirty = own_dirty;
  const auto exchange = [&](std::uint32_t with) {
    std::swap(carried, tags[with]);
    std::swap(carried_time, times[with]);
    if (dirty == nullptr) return;
    const std::uint32_t stood = dirty[with];
    dirty[with] = static_cast<std::uint16_t>(carried_dirty);
    carried_dirty = stood;
  };
  for (; place < last; ++place) {
    if (times[place] < carried_time) exchange(place);
    if (carried == 0) break;
  }
  if (at != kNowhere) exchange(at);
  const std::uint32_t evicts_below = std::min(place, last);
  if (at == kNowhere && carried != 0) counts_.note_write_backs(carried_dirty, depth_ + 1);
  const std::uint32_t assumed = at == kNowhere ? taken : at;
  ++counts_.eviction_corrections[evicts_below];
  --counts_.eviction_corrections[assumed];
  std::uint32_t now_taken = std::max(taken, std::min(place, depth_ - 1) + 1);
  while (now_taken > 0 && tags[now_taken - 1] == 0) --now_taken;
  lists_.take(set, now_taken);
  // Without holes, what is below the disorder stays older than all above it.
  find_disorder(set, write_.store_hit_removes ? std::max(now_taken, 1u) - 1 : disorder_[set]);
}

void LruStack::invalidate() {
  was_disturbed_ = false;
  if (in_logs_) return logs_->clear();
  for (std::uint32_t set = 0; set < lists_.size(); ++set) {
    const std::uint32_t taken = lists_[set].taken;
    if (taken == 0) continue;
    if (write_.writes_back) {
      std::uint16_t* const levels = dirty(set);
      for (std::uint32_t at = 0; at < taken; ++at) counts_.note_write_backs(levels[at], at + 1);
      std::fill_n(levels, taken, std::uint16_t{0});
    }
    lists_.clear(set);
    disorder_[set] = 0;
  }
  disordered_ = 0;
}

}  // namespace warpscope
