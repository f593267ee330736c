#include "timed/memory/l1.h"

#include <array>
#include <utility>

#include "cachesim/l1/l1_cache.h"

namespace warpscope::timed {
namespace {

/// The policy of a line of cachesim/l1/registry.def without its tag array; null for LRU and SLRU, which are kept here.
std::unique_ptr<AnyReplacement> replacement_of(const CacheConfig& cache, std::uint64_t seed) {
  if (cache.replacement == "LRU" || cache.replacement == "SLRU") return nullptr;
  return replacement_policy(cache.replacement).make_policy({cache.sets(), cache.ways, seed});
}

constexpr SectorMask without_first(SectorMask mask) {
  return static_cast<SectorMask>(mask & (mask - 1));
}

}  // namespace

TimedL1::TimedL1(const L1Config& config, std::uint64_t seed, std::uint64_t private_from)
    : config_(config),
      write_(config.cache, private_from),
      index_(set_index(config.cache.set_index).function),
      sets_(config.cache.sets()),
      ways_(config.cache.ways),
      most_lines_(config.cache.has_spare_tags() ? config.cache.lines() : kNone),
      turn_(sets_),
      is_segmented_(config.cache.replacement == "SLRU"),
      policy_(replacement_of(config.cache, seed)),
      lines_(std::size_t{sets_} * ways_),
      newest_(sets_, kNone),
      oldest_(sets_, kNone),
      filled_(sets_, 0),
      pending_(sets_, 0),
      places_(lines_),
      outstanding_(4) {}

std::uint32_t TimedL1::set_of(LineAddr line) const {
  std::uint32_t set = 0;
  index_({&line, 1}, sets_, &set);
  return set;
}

Reference TimedL1::reference(std::uint32_t way, LineAddr line, bool is_store) const {
  return {SetIndex(way / ways_), WayIndex(way % ways_), line, is_store, false};
}

void TimedL1::unlink(std::uint32_t way) {
  Way& w = lines_[way];
  const std::uint32_t set = way / ways_;
  (w.newer == kNone ? newest_[set] : lines_[w.newer].older) = w.older;
  (w.older == kNone ? oldest_[set] : lines_[w.older].newer) = w.newer;
}

void TimedL1::link_newest(std::uint32_t way, std::uint32_t set) {
  Way& w = lines_[way];
  w.newer = kNone;
  w.older = newest_[set];
  (w.older == kNone ? oldest_[set] : lines_[w.older].newer) = way;
  newest_[set] = way;
}

/// A use of the line by `sectors` transactions; a store that finds no sector uses nothing. `is_new`: the same request has
/// brought it in.
void TimedL1::touch(std::uint32_t way, LineAddr line, SectorMask sectors, bool is_store, bool is_new) {
  if (sectors == 0) return;
  if (is_segmented_) return note_use(way, line, sectors, is_new);
  if (policy_) {
    Reference used = reference(way, line, is_store);
    used.goes_on = goes_on(line, sectors, is_new);
    used_line_ = line.value();
    used_sectors_ = sectors;
    for (std::uint64_t i = 0; i < sectors_in(sectors); ++i) {
      policy_->on_hit(used);
      used.goes_on = true;
    }
    return;
  }
  if (lines_[way].newer == kNone) return;  // it is the newest already
  unlink(way);
  link_newest(way, way / ways_);
}

/// The outstanding miss of a line that has `way`, or kNone; kNone if there is none.
std::uint32_t TimedL1::entry_of(std::uint64_t line, std::uint32_t way) const {
  if (way != kNone && lines_[way].entry != kNone) return lines_[way].entry;
  return outstanding_.size() == 0 ? kNone : outstanding_.find(line);
}

/// The way whose line leaves; a line on its way stays. Some way of the set can leave.
std::uint32_t TimedL1::find_victim(std::uint32_t set, LineAddr line, bool is_store) {
  if (is_linked()) {
    std::uint32_t way = oldest_[set];
    while (lines_[way].entry != kNone) way = lines_[way].newer;
    return way;
  }
  std::uint32_t way = is_segmented_ ? SlruRule::victim(&lines_[std::size_t{set} * ways_], ways_)
                                    : policy_->victim(reference(set * ways_, line, is_store)).value();
  // The policy does not know which lines are on their way: the next one that is not, in way order, goes
  // instead.
  const auto stays = [&](const Way& one) { return !one.used || one.entry != kNone; };
  while (stays(lines_[std::size_t{set} * ways_ + way])) way = way + 1 == ways_ ? 0 : way + 1;
  return set * ways_ + way;
}

/// The line leaves its place; its tag is not free yet.
void TimedL1::drop(std::uint32_t way, L1Outcome& outcome) {
  const Way& old = lines_[way];
  outcome.evicted = true;
  outcome.victim = LineAddr(old.line);
  outcome.write_back = old.dirty;
  places_.erase(way);
  if (is_linked()) unlink(way);
}

/// The memory is full, and the set has a free tag: a line of the set whose turn it is leaves.
void TimedL1::drop_of_other_set(LineAddr line, bool is_store, L1Outcome& outcome) {
  std::uint32_t set = turn_.next();
  while (filled_[set] == pending_[set]) set = turn_.next();
  const std::uint32_t way = find_victim(set, line, is_store);
  drop(way, outcome);
  if (is_segmented_)
    forget_uses(way);
  else
    policy_->on_remove(reference(way, LineAddr(lines_[way].line), is_store));
  lines_[way].used = false;
  --filled_[set];
}

/// A place for the line of `set`, which has none; has_room(set) holds.
std::uint32_t TimedL1::allocate(std::uint32_t set, LineAddr line, SectorMask sectors, bool is_store,
                                L1Outcome& outcome) {
  std::uint32_t way = set * ways_;
  if (filled_[set] < ways_) {
    if (places_.size() >= most_lines_) drop_of_other_set(line, is_store, outcome);
    while (lines_[way].used) ++way;
    ++filled_[set];
  } else {
    way = find_victim(set, line, is_store);
    drop(way, outcome);
  }
  Way& w = lines_[way];
  w.line = line.value();
  w.entry = kNone;
  w.valid = w.dirty = 0;
  w.used = true;
  w.removed = false;
  places_.insert(way);
  if (is_linked()) {
    link_newest(way, set);
    return way;
  }
  if (is_segmented_) {
    w.last_use = ++clock_;
    w.protection = 0;
  } else {
    policy_->on_fill(reference(way, line, is_store));
  }
  used_line_ = line.value();
  used_sectors_ = sectors;
  touch(way, line, without_first(sectors), is_store, true);
  return way;
}

void TimedL1::remove(std::uint32_t way, L1Outcome& outcome) {
  Way& w = lines_[way];
  outcome.evicted = true;
  outcome.victim = LineAddr(w.line);
  if (is_linked())
    unlink(way);
  else if (is_segmented_)
    forget_uses(way);
  else
    policy_->on_remove(reference(way, LineAddr(w.line), true));
  places_.erase(way);
  w.used = false;
  w.valid = w.dirty = 0;
  --filled_[way / ways_];
}

std::uint32_t TimedL1::open_entry(LineAddr line, std::uint32_t way) {
  std::uint32_t entry = 0;
  if (free_entries_.empty()) {
    entry = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    entry = free_entries_.back();
    free_entries_.pop_back();
  }
  entries_[entry] = {line.value(), way, kNone, kNone, 0, 0};
  if (way == kNone) {
    outstanding_.insert(line.value(), entry);
    return entry;
  }
  lines_[way].entry = entry;
  ++pending_[way / ways_];
  ++all_pending_;
  return entry;
}

void TimedL1::add_waiter(MshrEntry& entry, Token token, SectorMask missing) {
  std::uint32_t at = free_waiter_;
  if (at == kNone) {
    at = static_cast<std::uint32_t>(waiters_.size());
    waiters_.emplace_back();
  } else {
    free_waiter_ = waiters_[at].next;
  }
  waiters_[at] = {token, kNone, missing};
  (entry.last == kNone ? entry.waiters : waiters_[entry.last].next) = at;
  entry.last = at;
  ++entry.merged;
}

bool TimedL1::load(LineAddr line, SectorMask sectors, Token token, L1Outcome& outcome) {
  outcome = {};
  std::uint32_t way = places_.find(line.value());
  const SectorMask valid = way == kNone ? SectorMask{0} : lines_[way].valid;
  const auto absent = static_cast<SectorMask>(sectors & ~valid);
  outcome.hit = sectors & valid;
  if (absent == 0) {
    touch(way, line, sectors, false);
    return true;
  }
  std::uint32_t entry = entry_of(line.value(), way);
  const bool has_entry = entry != kNone;
  const SectorMask requested = has_entry ? entries_[entry].requested : SectorMask{0};
  if (has_entry ? config_.mshr_merges != 0 && entries_[entry].merged >= config_.mshr_merges
                : config_.mshr_entries != 0 && outstanding() >= config_.mshr_entries)
    return false;
  const bool needs_way = way == kNone && !has_entry && !config_.allocate_on_fill;
  const std::uint32_t set = needs_way ? set_of(line) : 0;
  if (needs_way && !has_room(set)) return false;
  const bool line_is_known = way != kNone || has_entry;
  outcome.pending = absent & requested;
  outcome.request = static_cast<SectorMask>(absent & ~requested);
  // Sector by sector: the first one of an absent line brings the line's tag in, the others find it there.
  outcome.sector_miss = line_is_known ? outcome.request : without_first(outcome.request);
  outcome.miss = static_cast<SectorMask>(outcome.request & ~outcome.sector_miss);
  if (way != kNone) {
    touch(way, line, sectors, false);
  } else if (needs_way) {
    way = allocate(set, line, sectors, false, outcome);
  }
  if (!has_entry) entry = open_entry(line, way);
  entries_[entry].requested |= outcome.request;
  add_waiter(entries_[entry], token, absent);
  return true;
}

bool TimedL1::store(LineAddr line, SectorMask sectors, L1Outcome& outcome) {
  outcome = {};
  const WritePolicy& write = write_.of(line.value());
  std::uint32_t way = places_.find(line.value());
  if (way == kNone) {
    outcome.miss = sectors;
    if (!write.store_miss_allocates) return true;
    const std::uint32_t set = set_of(line);
    if (!has_room(set)) return false;
    if (write.store_hits_line) absent_.add(line.value());
    outcome.sector_miss = without_first(sectors);
    outcome.miss = static_cast<SectorMask>(sectors & ~outcome.sector_miss);
    way = allocate(set, line, sectors, true, outcome);
    lines_[way].valid = sectors;  // whole sectors are written: nothing is fetched
    if (write.writes_back) lines_[way].dirty = sectors;
    return true;
  }
  Way& w = lines_[way];
  const SectorMask coming = w.entry == kNone ? SectorMask{0} : entries_[w.entry].requested;
  outcome.hit = sectors & w.valid;
  outcome.pending = static_cast<SectorMask>(sectors & ~w.valid & coming);
  outcome.sector_miss = static_cast<SectorMask>(sectors & ~w.valid & ~coming);
  if (write.store_hit_removes) {
    evict_by_store(way, outcome);
    return true;
  }
  SectorMask written = outcome.hit | outcome.pending;
  if (write.store_hits_line && !absent_.was_absent(line.value())) {
    outcome.hit |= outcome.sector_miss;
    w.valid |= std::exchange(outcome.sector_miss, SectorMask{0});
    written = sectors;
  }
  if (write.store_miss_allocates) {
    w.valid |= outcome.sector_miss;
    written = sectors;
  }
  if (write.writes_back) w.dirty |= written;
  touch(way, line, written, true);
  return true;
}

/// A store hit removes the line (whole lines only); one that is on its way goes when it has arrived.
void TimedL1::evict_by_store(std::uint32_t way, L1Outcome& outcome) {
  Way& w = lines_[way];
  if (w.entry == kNone) return remove(way, outcome);
  outcome.evicted = !w.removed;
  w.removed = true;
  w.valid = 0;
}

void TimedL1::fill(LineAddr line, SectorMask sectors, std::vector<Token>& done, L1Outcome& outcome) {
  outcome = {};
  std::uint32_t way = places_.find(line.value());
  const std::uint32_t at = entry_of(line.value(), way);
  MshrEntry& entry = entries_[at];
  if (entry.way == kNone) {
    const std::uint32_t set = way == kNone ? set_of(line) : 0;
    if (way == kNone && has_room(set)) way = allocate(set, line, sectors, false, outcome);
    if (way != kNone) lines_[way].valid |= sectors;
  } else if (!lines_[entry.way].removed) {
    lines_[entry.way].valid |= sectors;
  }
  std::uint32_t* link = &entry.waiters;
  entry.last = kNone;
  while (*link != kNone) {
    Waiter& waiter = waiters_[*link];
    waiter.missing = static_cast<SectorMask>(waiter.missing & ~sectors);
    if (waiter.missing != 0) {
      entry.last = *link;
      link = &waiter.next;
      continue;
    }
    done.push_back(waiter.token);
    --entry.merged;
    const std::uint32_t freed = *link;
    *link = waiter.next;
    waiters_[freed].next = free_waiter_;
    free_waiter_ = freed;
  }
  entry.requested = static_cast<SectorMask>(entry.requested & ~sectors);
  if (entry.requested != 0) return;
  if (entry.way == kNone) {
    outstanding_.erase(line.value());
  } else {
    --pending_[entry.way / ways_];
    --all_pending_;
    lines_[entry.way].entry = kNone;
    if (lines_[entry.way].removed) {
      L1Outcome ignored;
      remove(entry.way, ignored);
    }
  }
  free_entries_.push_back(at);
}

void TimedL1::invalidate() {
  for (Way& way : lines_) way = {};
  newest_.assign(sets_, kNone);
  oldest_.assign(sets_, kNone);
  filled_.assign(sets_, 0);
  places_.clear();
  turn_.reset();
  if (policy_) policy_->reset();
}

}  // namespace warpscope::timed
