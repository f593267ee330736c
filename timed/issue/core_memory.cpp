// A core's load-store units: look-ups, what they send to the memory, and what comes back.
#include <algorithm>

#include "timed/issue/core.h"

namespace warpscope::timed {
namespace {

bool later(const MemoryReply& a, const MemoryReply& b) {
  return a.time != b.time ? a.time > b.time : a.order > b.order;
}

void add(OriginCounts& counts, const L1Outcome& outcome) {
  counts.hits += sectors_in(outcome.hit);
  counts.hits_pending += sectors_in(outcome.pending);
  counts.sector_misses += sectors_in(outcome.sector_miss);
  counts.misses += sectors_in(outcome.miss);
  counts.evictions += outcome.evicted ? 1 : 0;
  counts.write_backs += outcome.write_back != 0 ? 1 : 0;
  counts.write_back_sectors += sectors_in(outcome.write_back);
}

}  // namespace

void Core::look_up(LoadStoreUnit& unit) {
  while (unit.queued != 0 && unit.lookup_at <= now_ && !unit.blocked) {
    if (!process(unit, unit.queue[unit.head])) return;
    unit.head = (unit.head + 1) % unit.queue.size();
    --unit.queued;
  }
}

/// What one cycle can do for an access; true when all of it is done.
bool Core::process(LoadStoreUnit& unit, QueuedAccess& queued) {
  const std::uint32_t tags = setup_.config.l1.tags_per_cycle;
  const std::vector<LineLookup>& lines = queued.access.lines;
  if (queued.began == kNever) queued.began = now_;
  for (std::uint32_t done = 0; queued.next < lines.size(); ++queued.next, ++done) {
    const LineLookup& line = lines[queued.next];
    if (done != 0 && (done == tags || line.wavefront != lines[queued.next - 1].wavefront)) {
      unit.lookup_at = now_ + 1;
      return false;
    }
    if (look_up_line(unit, queued, line)) continue;
    if (queued.failing_since == kNever) queued.failing_since = now_;
    return false;
  }
  finish_access(unit, queued);
  return true;
}

bool Core::look_up_line(LoadStoreUnit& unit, QueuedAccess& queued, const LineLookup& lookup) {
  OriginCounts& counts = origin_counts(queued.access.origin);
  const std::uint32_t limit = setup_.config.memory.request_queue_cycles;
  if (limit != 0 && request_port_.free_at() > now_ + limit) {
    unit.lookup_at = request_port_.free_at() - limit;
    return false;
  }
  const bool is_load = queued.access.kind == AccessKind::Load;
  if (queued.access.destination == Destination::Bypass) {
    pass_by(unit, queued, lookup, counts);
  } else if (!(is_load ? look_up_load(unit, queued, lookup, counts) : look_up_store(unit, lookup, counts))) {
    unit.blocked = true;  // until a fill frees what is missing
    return false;
  }
  if (queued.failing_since != kNever) {  // tried again in every cycle
    counts.reservation_fails += now_ - queued.failing_since;
    queued.failing_since = kNever;
  }
  ++counts_.lookups;
  counts.transactions += sectors_in(lookup.sectors);
  counts.requests += lookup.first_of_request ? 1 : 0;
  return true;
}

void Core::pass_by(LoadStoreUnit& unit, QueuedAccess& queued, const LineLookup& lookup,
                   OriginCounts& counts) {
  counts.bypasses += sectors_in(lookup.sectors);
  const bool waits = queued.token != kNoToken && !memory_is_ideal_;
  if (waits) ++flights_[queued.token].missing;
  const auto kind = queued.access.kind == AccessKind::Load    ? MemoryRequest::Kind::Load
                    : queued.access.kind == AccessKind::Store ? MemoryRequest::Kind::Store
                                                              : MemoryRequest::Kind::Atomic;
  send(unit, lookup, kind, queued.token, waits);
}

bool Core::look_up_load(LoadStoreUnit& unit, QueuedAccess& queued, const LineLookup& lookup,
                        OriginCounts& counts) {
  L1Outcome outcome;
  if (!unit.l1.load(lookup.line, lookup.sectors, queued.token, outcome)) return false;
  add(counts, outcome);
  send_write_back(unit, outcome);
  if (outcome.hit == lookup.sectors) return true;
  if (queued.token != kNoToken) ++flights_[queued.token].missing;
  if (outcome.request == 0) return true;
  send(unit, {lookup.line, outcome.request, false}, MemoryRequest::Kind::Load, kNoToken, !memory_is_ideal_);
  if (memory_is_ideal_) arrive({now_, lookup.line.value(), 0, kNoToken, unit.number, outcome.request});
  return true;
}

bool Core::look_up_store(LoadStoreUnit& unit, const LineLookup& lookup, OriginCounts& counts) {
  L1Outcome outcome;
  if (!unit.l1.store(lookup.line, lookup.sectors, outcome)) return false;
  add(counts, outcome);
  send_write_back(unit, outcome);
  const WritePolicy& policy = unit.l1.write_policy(lookup.line);
  SectorMask through = lookup.sectors;
  if (policy.writes_back)
    through = policy.store_miss_allocates ? SectorMask{0} : static_cast<SectorMask>(through & ~outcome.hit);
  if (through != 0) send(unit, {lookup.line, through, false}, MemoryRequest::Kind::Store, kNoToken, false);
  return true;
}

void Core::send(const LoadStoreUnit& unit, const LineLookup& lookup, MemoryRequest::Kind kind, Token token,
                bool wants_reply) {
  const std::uint64_t bytes = kind == MemoryRequest::Kind::Load
                                  ? 0
                                  : sectors_in(lookup.sectors) * setup_.config.l1.cache.transaction_bytes();
  counts_.request_bytes += bytes;
  outbox_.push_back({request_port_.take(now_, bytes), lookup.line.value(), token, id_, unit.number,
                     lookup.sectors, kind, wants_reply});
}

void Core::send_write_back(const LoadStoreUnit& unit, const L1Outcome& outcome) {
  if (outcome.write_back != 0)
    send(unit, {outcome.victim, outcome.write_back, false}, MemoryRequest::Kind::Store, kNoToken, false);
}

/// All lines are looked up. The data stage may need further cycles, in which the next access waits.
void Core::finish_access(LoadStoreUnit& unit, QueuedAccess& queued) {
  const L1Config& l1 = setup_.config.l1;
  const bool takes_time = l1.tags_per_cycle != 0 || l1.data_bytes_per_cycle != 0;
  const std::uint32_t cycles = takes_time ? queued.access.cycles : 1;
  if (takes_time && queued.access.destination == Destination::L1) counts_.l1_cycles += cycles;
  if (takes_time) unit.lookup_at = std::max(now_ + 1, queued.began + cycles);
  if (queued.token == kNoToken) return;
  std::uint32_t latency = l1.hit_latency;
  if (queued.access.destination == Destination::Local) latency = l1.local_latency;
  if (queued.access.destination == Destination::Constant) latency = l1.constant_latency;
  flights_[queued.token].not_before = std::max(now_, queued.began + cycles - 1) + latency;
  part_arrived(queued.token);
}

void Core::part_arrived(Token token) {
  Flight& flight = flights_[token];
  if (--flight.missing != 0) return;
  if (flight.not_before <= now_) return complete(token);
  wheel_.add(now_, flight.not_before, kDone | token);
}

/// The data of a load is there.
void Core::complete(Token token) {
  const Flight flight = flights_[token];
  free_flights_.push_back(token);
  counts_.load_latency += now_ - flight.issued;
  ++counts_.loads;
  Warp& warp = warps_[flight.warp];
  --warp.outstanding;
  const std::uint16_t left = --scoreboard_[std::size_t{flight.warp} * setup_.program.loads() + flight.load];
  if (warp.state != State::Memory) return;
  if (warp.waits_for == kAllLoads ? warp.outstanding != 0 : warp.waits_for != flight.load || left != 0)
    return;
  settle(flight.warp, advance(warp));
}

// Replies and time

void Core::receive(const MemoryReply& reply) {
  replies_.push_back(reply);
  std::push_heap(replies_.begin(), replies_.end(), later);
}

void Core::take_replies() {
  while (!replies_.empty() && replies_.front().time <= now_) {
    MemoryReply reply = replies_.front();
    std::pop_heap(replies_.begin(), replies_.end(), later);
    replies_.pop_back();
    if (reply_port_.free_at() > now_) {  // the port is busy: later, and not before others that wait longer
      reply.time = reply_port_.free_at();
      receive(reply);
      continue;
    }
    const std::uint64_t bytes = sectors_in(reply.sectors) * setup_.config.l1.cache.transaction_bytes();
    reply_port_.take(now_, bytes);
    counts_.reply_bytes += bytes;
    arrive(reply);
  }
}

void Core::arrive(const MemoryReply& reply) {
  if (reply.token != kNoToken) return part_arrived(reply.token);
  L1Outcome outcome;
  done_.clear();
  LoadStoreUnit& unit = units_[reply.unit];
  unit.l1.fill(LineAddr(reply.line), reply.sectors, done_, outcome);
  send_write_back(unit, outcome);
  unit.blocked = false;
  for (const Token token : done_)
    if (token != kNoToken) part_arrived(token);
}

}  // namespace warpscope::timed
