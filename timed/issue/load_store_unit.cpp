#include "timed/issue/load_store_unit.h"

#include <algorithm>
#include <utility>

namespace warpscope::timed {
namespace {

void add(OriginCounts& counts, const L1Outcome& outcome) {
  counts.hits += sectors_in(outcome.hit);
  counts.hits_pending += sectors_in(outcome.pending);
  counts.sector_misses += sectors_in(outcome.sector_miss);
  counts.misses += sectors_in(outcome.miss);
  counts.evictions += outcome.evicted ? 1 : 0;
  counts.write_backs += outcome.write_back != 0 ? 1 : 0;
  counts.write_back_sectors += sectors_in(outcome.write_back);
}

MemoryRequest::Kind request_kind(AccessKind kind) {
  if (kind == AccessKind::Load) return MemoryRequest::Kind::Load;
  return kind == AccessKind::Store ? MemoryRequest::Kind::Store : MemoryRequest::Kind::Atomic;
}

std::uint32_t latency_of(const L1Config& config, Destination destination) {
  if (destination == Destination::Local) return config.local_latency;
  return destination == Destination::Constant ? config.constant_latency : config.hit_latency;
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const LoadStoreParts& parts, std::uint8_t number, std::uint64_t seed)
    : parts_(parts),
      number_(number),
      l1_(parts.config, seed, parts.lines.private_from()),
      queue_limit_(parts.config.queue_entries == 0 ? std::numeric_limits<std::size_t>::max()
                                                   : parts.config.queue_entries) {}

inline LoadStoreUnit::QueuedAccess& LoadStoreUnit::append() {
  if (queued_ == queue_.size()) {
    std::rotate(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_), queue_.end());
    head_ = 0;
    queue_.resize(std::max<std::size_t>(8, queue_.size() * 2));
  }
  QueuedAccess& queued = queue_[(head_ + queued_++) & (queue_.size() - 1)];
  queued.next = 0;
  queued.began = queued.failing_since = kNever;
  return queued;
}

void LoadStoreUnit::push_later(std::uint32_t scheduler, const WarpAccess& access, Token token,
                               std::uint32_t warp, std::uint8_t entry) {
  if (scheduler >= later_.size()) later_.resize(scheduler + 1);
  prepare(later_[scheduler].emplace_back(), {access, 1, token, warp, entry});
  ++outside_;
}

void LoadStoreUnit::enter(std::uint32_t scheduler) {
  append() = std::move(later_[scheduler].front());
  later_[scheduler].pop_front();
  --outside_;
  prefetch_queued();
}

void LoadStoreUnit::prepare(QueuedAccess& queued, const Pushed& pushed) {
  parts_.lines.prepare(pushed.access, queued.access);
  queued.token = pushed.token;
  queued.warp = pushed.warp;
  queued.entry = pushed.entry;
  const std::uint32_t instructions = pushed.instructions;
  OriginCounts& counts = origin_counts(queued.access.origin);
  counts.lanes += std::uint64_t{queued.access.lanes} * instructions;
  counts.private_words += queued.access.private_words;
  if (makes_transactions(queued.access.destination)) return;
  counts.outside_requests += instructions;
  if (queued.access.destination != Destination::Local) return;
  counts.outside_wavefronts += queued.access.cycles;
  counts.outside_conflicts += queued.access.cycles - queued.access.passes;
}

/// Of the accesses that came last, each one step further.
void LoadStoreUnit::prefetch_queued() const {
  const std::size_t mask = queue_.size() - 1, last = head_ + queued_ - 1;
  for (const LineLookup& lookup : queue_[last & mask].access.lines) l1_.prefetch(lookup.line);
  if (queued_ < 2) return;
  for (const LineLookup& lookup : queue_[(last - 1) & mask].access.lines) l1_.prefetch_way(lookup.line);
  if (queued_ < 3) return;
  for (const LineLookup& lookup : queue_[(last - 2) & mask].access.lines)
    l1_.prefetch_neighbours(lookup.line);
}

std::optional<Token> LoadStoreUnit::look_up(Cycle now) {
  QueuedAccess& queued = queue_[head_];
  const std::uint32_t tags = parts_.config.tags_per_cycle;
  const std::vector<LineLookup>& lines = queued.access.lines;
  OriginCounts& counts = origin_counts(queued.access.origin);
  if (queued.began == kNever) {
    queued.began = now;
    if (lines.size() > 1)  // together rather than one after the other
      for (const LineLookup& line : lines) l1_.prefetch_way(line.line);
  }
  for (std::uint32_t done = 0; queued.next < lines.size(); ++queued.next, ++done) {
    const LineLookup& line = lines[queued.next];
    if (done != 0 && (done == tags || line.wavefront != lines[queued.next - 1].wavefront)) {
      look_up_at_ = now + 1;
      return std::nullopt;
    }
    if (look_up_line(now, queued, line, counts)) continue;
    if (queued.failing_since == kNever) queued.failing_since = now;
    return std::nullopt;
  }
  finish(now, queued);
  head_ = (head_ + 1) & (queue_.size() - 1);
  --queued_;
  idle_at_ = now + 1;
  return queued.token;
}

inline bool LoadStoreUnit::look_up_line(Cycle now, QueuedAccess& queued, const LineLookup& lookup,
                                        OriginCounts& counts) {
  if (const Cycle at = parts_.port.ready_at(now); at > now) {
    look_up_at_ = at;
    return false;
  }
  if (lookup.first_of_request) l1_.begin_request();
  const bool is_load =
      queued.access.kind == AccessKind::Load && queued.access.destination != Destination::Bypass;
  if (is_load && l1_.load_hit(lookup.line, lookup.sectors)) {  // nearly always
    counts.hits += sectors_in(lookup.sectors);
  } else if (!look_up_elsewhere(now, queued, lookup, counts)) {
    blocked_ = true;  // until a fill frees what is missing
    return false;
  }
  if (queued.failing_since != kNever) {  // tried again in every cycle
    counts.reservation_fails += now - queued.failing_since;
    queued.failing_since = kNever;
  }
  ++parts_.counts.lookups;
  counts.transactions += sectors_in(lookup.sectors);
  counts.requests += lookup.first_of_request ? 1 : 0;
  return true;
}

/// What is no load that hits. False: the L1 cannot take it now.
bool LoadStoreUnit::look_up_elsewhere(Cycle now, const QueuedAccess& queued, const LineLookup& lookup,
                                      OriginCounts& counts) {
  if (queued.access.destination != Destination::Bypass)
    return queued.access.kind == AccessKind::Load ? look_up_load(now, queued, lookup, counts)
                                                  : look_up_store(now, queued, lookup, counts);
  bypass(now, queued, lookup, counts);
  return true;
}

void LoadStoreUnit::bypass(Cycle now, const QueuedAccess& queued, const LineLookup& lookup,
                           OriginCounts& counts) {
  counts.bypasses += sectors_in(lookup.sectors);
  const bool waits = queued.token != kNoToken;
  const bool replied = parts_.port.send(now, {.line = lookup.line.value(),
                                              .token = queued.token,
                                              .unit = number_,
                                              .sectors = lookup.sectors,
                                              .kind = request_kind(queued.access.kind),
                                              .wants_reply = waits,
                                              .operations = lookup.operations});
  if (waits && !replied) parts_.flights.add_part(queued.token);
}

bool LoadStoreUnit::look_up_load(Cycle now, const QueuedAccess& queued, const LineLookup& lookup,
                                 OriginCounts& counts) {
  L1Outcome outcome;
  if (!l1_.load(lookup.line, lookup.sectors, queued.token, outcome)) return false;
  add(counts, outcome);
  write_back(now, outcome);
  if (outcome.hit == lookup.sectors) return true;
  if (parts_.watch != nullptr) parts_.watch->looked_up(number_, queued.warp, lookup.line, outcome);
  if (queued.token != kNoToken) parts_.flights.add_part(queued.token);
  if (outcome.request == 0) return true;
  const bool replied = parts_.port.send(now, {.line = lookup.line.value(),
                                              .token = kNoToken,
                                              .unit = number_,
                                              .sectors = outcome.request,
                                              .kind = MemoryRequest::Kind::Load,
                                              .wants_reply = true});
  if (!replied) return true;
  // Nobody but this access waits for the line, and it has another part: that it is in this unit.
  for (const Token token : fill(now, lookup.line, outcome.request))
    static_cast<void>(parts_.flights.part_arrived(token));
  return true;
}

bool LoadStoreUnit::look_up_store(Cycle now, const QueuedAccess& queued, const LineLookup& lookup,
                                  OriginCounts& counts) {
  L1Outcome outcome;
  if (!l1_.store(lookup.line, lookup.sectors, outcome)) return false;
  add(counts, outcome);
  write_back(now, outcome);
  const WritePolicy& policy = l1_.write_policy(lookup.line);
  if (parts_.watch != nullptr && policy.store_miss_allocates)
    parts_.watch->looked_up(number_, queued.warp, lookup.line, outcome);
  SectorMask through = lookup.sectors;
  if (policy.writes_back)
    through = policy.store_miss_allocates ? SectorMask{0} : static_cast<SectorMask>(through & ~outcome.hit);
  if (through != 0) store(now, lookup.line, through);
  return true;
}

void LoadStoreUnit::store(Cycle now, LineAddr line, SectorMask sectors) {
  parts_.port.send(now, {.line = line.value(),
                         .token = kNoToken,
                         .unit = number_,
                         .sectors = sectors,
                         .kind = MemoryRequest::Kind::Store,
                         .wants_reply = false});
}

void LoadStoreUnit::write_back(Cycle now, const L1Outcome& outcome) {
  if (outcome.write_back != 0) store(now, outcome.victim, outcome.write_back);
}

/// All lines are looked up. The data stage may need further cycles, in which the next access waits.
inline void LoadStoreUnit::finish(Cycle now, const QueuedAccess& queued) {
  const L1Config& l1 = parts_.config;
  std::uint32_t cycles = 1;
  if (l1.tags_per_cycle != 0 || l1.data_bytes_per_cycle != 0) {  // else accesses take no time
    cycles = queued.access.cycles;
    if (queued.access.destination == Destination::Local) cycles = parts_.lines.local_cycles(cycles);
    if (queued.access.destination != Destination::Constant)  // a cache of its own, without these units
      cycles = std::max(cycles, parts_.lines.lane_cycles());
    if (queued.access.destination == Destination::L1) parts_.counts.l1_cycles += cycles;
    look_up_at_ = std::max(now + 1, queued.began + cycles);
  }
  if (queued.token == kNoToken) return;
  parts_.flights.hold_until(
      queued.token, std::max(now, queued.began + cycles - 1) + latency_of(l1, queued.access.destination));
}

std::span<const Token> LoadStoreUnit::fill(Cycle now, LineAddr line, SectorMask sectors) {
  L1Outcome outcome;
  arrived_.clear();
  l1_.fill(line, sectors, arrived_, outcome);
  write_back(now, outcome);
  if (parts_.watch != nullptr) parts_.watch->filled(number_, outcome);
  blocked_ = false;
  std::erase(arrived_, kNoToken);
  return arrived_;
}

}  // namespace warpscope::timed
