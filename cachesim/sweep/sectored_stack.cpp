#include "cachesim/sweep/sectored_stack.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "traces/base/simd.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kMostLanes = 9;  // eight sectors and the dirty level

constexpr std::uint32_t whole_chunks(std::uint32_t ways) {
  return (ways + 7) / 8 * 8;
}

}  // namespace

SectoredCounts::SectoredCounts(std::uint32_t depth, std::size_t caches) : lines(depth), apart(caches) {
  for (auto& kind : sectors) kind.resize(std::size_t{depth} + 1);
}

SectoredCounts& SectoredCounts::operator+=(const SectoredCounts& other) {
  lines += other.lines;
  for (std::size_t kind = 0; kind < sectors.size(); ++kind)
    for (std::size_t level = 0; level < sectors[kind].size(); ++level)
      sectors[kind][level] += other.sectors[kind][level];
  for (std::size_t cache = 0; cache < apart.size(); ++cache) apart[cache] += other.apart[cache];
  apart_references += other.apart_references;
  return *this;
}

Counts SectoredCounts::of_cache(std::size_t place, std::uint32_t ways, WritePolicy write) const {
  write.store_hit_removes = false;  // only where sets are apart
  Counts counts = lines.of_ways(ways, write);
  for (std::size_t kind = 0; kind < sectors.size(); ++kind) {
    KindCounts& here = counts.kind[kind];
    const std::uint64_t there = std::exchange(here.hits, 0);
    for (std::uint32_t level = 0; level < ways; ++level) here.hits += sectors[kind][level];
    here.sector_misses = there - here.hits;
  }
  counts += apart[place];
  for (KindCounts& kind : counts.kind) kind.transactions = kind.hits + kind.sector_misses + kind.misses;
  return counts;
}

/// The innermost loops, compiled with AVX2 and without. A friend of SectoredStack.
struct SectoredKernel {
  struct Avx2;
  struct Plain;
};

#define STACK_KERNEL Avx2
#define STACK_KERNEL_TARGET WARPSCOPE_AVX2
#include "cachesim/sweep/sectored_stack_kernel.inc"
#undef STACK_KERNEL
#undef STACK_KERNEL_TARGET

#define STACK_KERNEL Plain
#define STACK_KERNEL_TARGET
#include "cachesim/sweep/sectored_stack_kernel.inc"
#undef STACK_KERNEL
#undef STACK_KERNEL_TARGET

SectoredStack::SectoredStack(std::uint32_t sets, std::vector<std::uint32_t> ways, int sector_shift,
                             const WritePolicy& write)
    : write_(write),
      ways_(std::move(ways)),
      sectors_(1u << sector_shift),
      lane_count_(sectors_ + std::uint32_t{write.writes_back}),
      depth_(whole_chunks(ways_.back())),
      lists_(sets, depth_),
      lanes_(lists_.places() * lane_count_),
      counts_(depth_, ways_.size()) {
  rows_.push_back(0);
  for (const std::uint32_t each : ways_) rows_.push_back(rows_.back() + whole_chunks(each));
}

std::uint64_t SectoredStack::bytes(std::uint32_t sets, const std::vector<std::uint32_t>& ways,
                                   int sector_shift, const WritePolicy& write) {
  const std::uint64_t lanes = (std::uint64_t{1} << sector_shift) + std::uint64_t{write.writes_back};
  const std::uint32_t depth = whole_chunks(ways.back());
  std::uint64_t set = SetLists::stride(depth) * sizeof(Level) * lanes;
  if (!write.store_miss_allocates) {
    set += sizeof(Apart) + sizeof(apart_.front());
    for (const std::uint32_t each : ways) set += std::uint64_t{whole_chunks(each)} * 5 + 4;
  }
  return SetLists::bytes(sets, depth) + sets * set;
}

void SectoredStack::process(const SectoredBatch& batch) {
  static const bool avx2 = simd::has_avx2();
  avx2 ? SectoredKernel::Avx2::process(*this, batch) : SectoredKernel::Plain::process(*this, batch);
}

void SectoredStack::process_without_avx2(const SectoredBatch& batch) {
  SectoredKernel::Plain::process(*this, batch);
}

/// The line that has just come to level 1 was at place `at` (kNowhere: it comes in, `taken` levels were
/// taken).
void SectoredStack::use_lanes(std::uint32_t set, std::uint32_t at, std::uint32_t taken, std::uint8_t sector,
                              AccessKind kind) {
  const bool store = kind == AccessKind::Store;
  const auto line = static_cast<Level>(std::min(at, depth_));
  Level front[kMostLanes] = {};
  if (at == kNowhere)
    std::fill_n(front, sectors_, line);
  else
    for (std::uint32_t i = 0; i < sectors_; ++i) front[i] = std::max(lanes(set, at)[i], line);
  if (write_.writes_back) front[sectors_] = new_dirty(set, at, taken, store);
  Level hit = front[sector];
  if (store && write_.store_hits_line) hit = hit_by_line(lists_.tags(set)[0], line, hit);
  const auto number = static_cast<std::size_t>(kind);
  ++counts_.lines.references[number][at == kNowhere ? depth_ + taken : at];
  ++counts_.sectors[number][hit];
  front[sector] = 0;
  const std::uint32_t moved = at == kNowhere ? std::min(taken, depth_ - 1) : at;
  Level* const first = lanes(set, 0);
  std::memmove(first + lane_count_, first, std::size_t{moved} * lane_count_ * sizeof(Level));
  std::memcpy(first, front, lane_count_ * sizeof(Level));
}

/// A line that is nowhere comes in.
void SectoredStack::bring_in(std::uint32_t set, std::uint32_t tag, std::uint64_t reference,
                             std::uint8_t sector, AccessKind kind) {
  const std::uint32_t taken = lists_[set].taken;
  const bool store = kind == AccessKind::Store;
  const auto nowhere = static_cast<Level>(depth_);
  const Level dirty = write_.writes_back ? new_dirty(set, kNowhere, taken, store) : Level{0};
  lists_.bring_in(lists_[set], tag, reference, [this](std::size_t from, std::size_t to, std::size_t count) {
    std::memmove(&lanes_[to * lane_count_], &lanes_[from * lane_count_], count * lane_count_ * sizeof(Level));
  });
  lists_.take(set, std::min(taken + 1, depth_));
  Level* const front = lanes(set, 0);
  std::fill_n(front, sectors_, nowhere);
  front[sector] = 0;
  if (write_.writes_back) front[sectors_] = dirty;
  const Level hit = store && write_.store_hits_line ? hit_by_line(tag, nowhere, nowhere) : nowhere;
  const auto number = static_cast<std::size_t>(kind);
  ++counts_.lines.references[number][depth_ + taken];
  ++counts_.sectors[number][hit];
}

/// Dirty level of the line that has just come to level 1 from place `at`; notes who wrote it back before, and
/// who writes back the line that leaves the list.
SectoredStack::Level SectoredStack::new_dirty(std::uint32_t set, std::uint32_t at, std::uint32_t taken,
                                              bool store) {
  std::uint32_t dirty = 0;
  if (at != kNowhere) {
    dirty = lanes(set, at)[sectors_];
    counts_.lines.note_write_backs(dirty, at + 1);
    if (dirty != 0) dirty = std::max(dirty, at + 1);
  } else if (taken == depth_) {
    counts_.lines.note_write_backs(lanes(set, depth_ - 1)[sectors_], depth_ + 1);
  }
  return store ? Level{1} : static_cast<Level>(dirty);
}

/// From which level on a store hits whose request may have found the line: `line` and `sector` are the levels
/// of both.
SectoredStack::Level SectoredStack::hit_by_line(std::uint32_t tag, Level line, Level sector) {
  const auto known =
      std::find_if(absent_.begin(), absent_.end(), [tag](const Absent& absent) { return absent.tag == tag; });
  const Level was_absent = known == absent_.end() ? Level{0} : known->level;
  if (known != absent_.end())
    known->level = std::max(known->level, line);
  else if (line != 0)
    absent_.push_back({tag, line});
  return std::max(line, std::min(sector, was_absent));
}

/// Whether a store that does not allocate to a line at place `at` leaves the order of all caches as it is;
/// then it is counted.
bool SectoredStack::store_passes(std::uint32_t set, std::uint32_t at, std::uint8_t sector) {
  constexpr auto kStore = static_cast<std::size_t>(AccessKind::Store);
  if (at == kNowhere) {
    ++counts_.lines.passing_stores;
    return true;
  }
  const std::uint32_t hit = std::max<std::uint32_t>(lanes(set, at)[sector], at);
  const bool renews = at == 0 && !write_.store_hit_removes;
  if (hit < ways_.back() && !renews) return false;
  ++counts_.lines.references[kStore][at];
  ++counts_.sectors[kStore][hit];
  return true;
}

/// The list of a set becomes one per cache.
void SectoredStack::part(std::uint32_t set) {
  if (apart_.empty()) apart_.resize(lists_.size());
  if (!apart_[set]) apart_[set] = std::make_unique<Apart>();
  Apart& apart = *apart_[set];
  apart.tags.assign(rows_.back(), 0);
  apart.masks.assign(rows_.back(), 0);
  apart.taken.assign(ways_.size(), 0);
  apart.references = 0;
  apart.active = true;
  const std::uint32_t taken = lists_[set].taken;
  const std::uint32_t* const tags = lists_.tags(set);
  for (std::size_t cache = 0; cache < ways_.size(); ++cache) {
    const std::uint32_t ways = ways_[cache], count = std::min(taken, ways);
    std::copy_n(tags, count, &apart.tags[rows_[cache]]);
    for (std::uint32_t at = 0; at < count; ++at)
      for (std::uint32_t sector = 0; sector < sectors_; ++sector)
        if (lanes(set, at)[sector] < ways)
          apart.masks[rows_[cache] + at] |= static_cast<std::uint8_t>(1u << sector);
    apart.taken[cache] = count;
  }
  lists_.clear(set);
}

/// Whether one list can have the set of every cache.
bool SectoredStack::agree(const Apart& apart) const {
  const std::size_t last = ways_.size() - 1;
  for (std::size_t cache = 0; cache < last; ++cache) {
    const std::uint32_t count = apart.taken[cache];
    if (count != std::min(ways_[cache], apart.taken[last])) return false;
    const auto here = static_cast<std::ptrdiff_t>(rows_[cache]);
    const auto next = static_cast<std::ptrdiff_t>(rows_[cache + 1]);
    const auto tags = apart.tags.begin();
    if (!std::equal(tags + here, tags + here + count, tags + next)) return false;
    for (std::uint32_t at = 0; at < count; ++at)
      if ((apart.masks[rows_[cache] + at] & ~unsigned{apart.masks[rows_[cache + 1] + at]}) != 0) return false;
  }
  return true;
}

/// The caches of a set agree: one list again.
void SectoredStack::rejoin(std::uint32_t set) {
  Apart& apart = *apart_[set];
  apart.active = false;
  const std::uint32_t taken = apart.taken.back();
  lists_.take(set, taken);
  std::copy_n(&apart.tags[rows_[ways_.size() - 1]], taken, lists_.tags(set));
  std::fill_n(lanes(set, 0), std::size_t{taken} * lane_count_, static_cast<Level>(depth_));
  for (std::size_t cache = ways_.size(); cache-- > 0;)
    for (std::uint32_t at = 0; at < apart.taken[cache]; ++at)
      for (std::uint32_t sector = 0; sector < sectors_; ++sector)
        if ((apart.masks[rows_[cache] + at] >> sector & 1) != 0)
          lanes(set, at)[sector] = static_cast<Level>(ways_[cache] - 1);
}

void SectoredStack::invalidate() {
  for (std::uint32_t set = 0; set < lists_.size(); ++set) {
    if (!apart_.empty() && apart_[set]) apart_[set]->active = false;
    const std::uint32_t taken = write_.writes_back ? lists_[set].taken : 0;
    for (std::uint32_t at = 0; at < taken; ++at)
      counts_.lines.note_write_backs(lanes(set, at)[sectors_], at + 1);
    lists_.clear(set);
  }
}

}  // namespace warpscope
