#include "timed/kept_launches.h"

#include <algorithm>
#include <bit>

#include "traces/base/error.h"
#include "traces/base/varint.h"

namespace warpscope::timed {
namespace {

constexpr std::uint32_t kTimingTag = section_tag("LNCH"), kStateTag = ResumeFile::kReplaced;
constexpr std::size_t kMostWaiting = 32u << 20;  // bytes of timings in memory

using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

void put_real(Bytes& out, double value) {
  put_varint(out, std::bit_cast<std::uint64_t>(value));
}
double real_from(ByteReader& in) {
  return std::bit_cast<double>(in.varint("number"));
}

// One list of what a core counts, for both directions: `visit` takes a number.
template <class Counts, class Visit>
void each_number(Counts& counts, const Visit& visit)
  requires std::same_as<std::remove_const_t<Counts>, OriginCounts>
{
  const auto named = [&](const char*, auto& number) { visit(number); };
  each_outcome_counter(named, counts);
  each_access_counter(named, counts);
  each_line_counter(named, counts);
  visit(counts.outside_requests);
  visit(counts.outside_wavefronts);
  visit(counts.outside_conflicts);
  static_assert(sizeof(OriginCounts) == sizeof(OutcomeCounts) + sizeof(AccessCounts) + sizeof(LineCounts) +
                                            3 * sizeof(std::uint64_t),
                "a counter is missing here");
}
template <class Counts, class Visit>
void each_number(Counts& counts, const Visit& visit)
  requires std::same_as<std::remove_const_t<Counts>, TimingCounts>
{
#define TIMING_COUNTER(name, ...) visit(counts.name);
#define TIMING_PART TIMING_COUNTER
#include "cachesim/access/counters.def"
}
template <class Counts, class Visit>
void each_number(Counts& counts, const Visit& visit)
  requires std::same_as<std::remove_const_t<Counts>, MemoryCounts>
{
#define MEMORY_COUNTER(name, ...) visit(counts.name);
#include "cachesim/access/counters.def"
}

template <class Counts>
void put_numbers(const Counts& counts, Bytes& out) {
  each_number(counts, [&](std::uint64_t number) { put_varint(out, number); });
}
template <class Counts>
void numbers_from(ByteReader& in, Counts& counts) {
  each_number(counts, [&](std::uint64_t& number) { number = in.varint("counter"); });
}

void put(const CoreCounts& core, Bytes& out) {
  put_numbers(static_cast<const TimingCounts&>(core), out);
  put_varint(out, core.schedulers.size());
  for (const SchedulerCounts& scheduler : core.schedulers) {
    put_varint(out, scheduler.issue_cycles);
    for (const std::uint64_t stall : scheduler.stalls) put_varint(out, stall);
  }
  put_varint(out, core.origins.size());
  for (const OriginCounts& origin : core.origins) put_numbers(origin, out);
}

CoreCounts core_from(ByteReader& in) {
  CoreCounts core;
  numbers_from(in, static_cast<TimingCounts&>(core));
  core.schedulers.resize(in.count("schedulers", 1 + kStallReasons));
  for (SchedulerCounts& scheduler : core.schedulers) {
    scheduler.issue_cycles = in.varint("issue cycles");
    for (std::uint64_t& stall : scheduler.stalls) stall = in.varint("stall cycles");
  }
  core.origins.resize(in.count("origins", sizeof(OriginCounts) / sizeof(std::uint64_t)));
  for (OriginCounts& origin : core.origins) numbers_from(in, origin);
  return core;
}

void put(const Origin& origin, Bytes& out) {
  put_varint(out, origin.site.value());
  put_varint(out, origin.buffer.value());
  put_varint(out, static_cast<std::uint64_t>(origin.kind));
  put_varint(out, static_cast<std::uint64_t>(origin.destination));
}

Origin origin_from(ByteReader& in) {
  Origin origin;
  origin.site = SiteId(static_cast<std::uint32_t>(in.varint("site")));
  origin.buffer = BufferId(static_cast<std::uint32_t>(in.varint("buffer")));
  const std::uint64_t kind = in.varint("kind"), destination = in.varint("destination");
  if (kind > static_cast<std::uint64_t>(AccessKind::Atomic)) in.fail("kind", "is not known");
  if (destination > static_cast<std::uint64_t>(Destination::NoObject)) in.fail("destination", "is not known");
  origin.kind = static_cast<AccessKind>(kind);
  origin.destination = static_cast<Destination>(destination);
  return origin;
}

void put(const PartDemand& demand, Bytes& out) {
  put_varint(out, demand.bytes.size());
  for (const auto& core : demand.bytes) {
    put_varint(out, core.size());
    for (const std::uint64_t bytes : core) put_varint(out, bytes);
  }
  put_real(out, demand.bytes_per_cycle);
  put_varint(out, demand.requests);
  put_varint(out, demand.waited);
}

PartDemand demand_from(ByteReader& in) {
  PartDemand demand;
  demand.bytes.resize(in.count("cores"));
  for (auto& core : demand.bytes) {
    core.resize(in.count("parts"));
    for (std::uint64_t& bytes : core) bytes = in.varint("bytes");
  }
  demand.bytes_per_cycle = real_from(in);
  demand.requests = in.varint("requests");
  demand.waited = in.varint("waits");
  return demand;
}

}  // namespace

void encode(const LaunchTiming& timing, Bytes& out) {
  put_varint(out, timing.launch.value());
  put_varint(out, timing.l1_kib);
  put_varint(out, timing.cycles);
  put_varint(out, timing.cores.size());
  for (const CoreCounts& core : timing.cores) put(core, out);
  put_varint(out, timing.origins.size());
  for (const Origin& origin : timing.origins) put(origin, out);
  put_numbers(timing.memory, out);
  put(timing.demand.slices, out);
  put(timing.demand.channels, out);
  put_varint(out, timing.slots);
  put_varint(out, timing.occupancy.size());
  for (const OccupancyPoint& point : timing.occupancy) {
    put_varint(out, point.from);
    put_varint(out, point.to);
    put_real(out, point.warps_per_core);
  }
  put_varint(out, timing.timeline ? 1 : 0);
  if (timing.timeline) timing.timeline->encode(out);
}

LaunchTiming decode_timing(ByteReader& in) {
  LaunchTiming timing;
  timing.launch = LaunchId(static_cast<std::uint32_t>(in.varint("launch")));
  timing.l1_kib = in.varint("size of the L1");
  timing.cycles = in.varint("cycles");
  const std::uint64_t cores = in.count("cores");
  for (std::uint64_t core = 0; core < cores; ++core) timing.cores.push_back(core_from(in));
  timing.origins.resize(in.count("origins", 4));
  for (Origin& origin : timing.origins) origin = origin_from(in);
  for (const CoreCounts& core : timing.cores)
    if (core.origins.size() > timing.origins.size()) in.fail("origins", "of a core are too many");
  numbers_from(in, timing.memory);
  timing.demand.slices = demand_from(in);
  timing.demand.channels = demand_from(in);
  timing.slots = static_cast<std::uint32_t>(in.varint("slots"));
  timing.occupancy.resize(in.count("occupancy", 3));
  for (OccupancyPoint& point : timing.occupancy) {
    point.from = in.varint("cycle");
    point.to = in.varint("cycle");
    point.warps_per_core = real_from(in);
  }
  if (in.varint("timeline") != 0) timing.timeline = Timeline(in);
  return timing;
}

KeptLaunches::KeptLaunches(const KeptWork& kept, double times_cost, double part)
    : kept_(kept), times_cost_(times_cost), part_(part), begin_(Clock::now()), last_(begin_) {
  if (!kept_.file) return;
  find_state();
  first_ = size_;
}

/// Whether the timings of the first `launches` are there, and end with them.
bool KeptLaunches::reaches(std::uint64_t launches) const {
  std::uint64_t at = 0;
  while (at < launches && kept_.file->has({kTimingTag, kept_.stage, at})) {
    const Bytes chunk = kept_.file->read({kTimingTag, kept_.stage, at});
    const std::uint64_t count = ByteReader(chunk).varint("launches");
    if (count == 0) return false;
    at += count;
  }
  return at == launches;
}

/// The newest state that is intact: others may have been dropped.
void KeptLaunches::find_state() {
  states_ = kept_.file->numbers(kStateTag, kept_.stage);
  for (; !states_.empty(); states_.pop_back()) {
    try {
      state_ = kept_.file->read({kStateTag, kept_.stage, states_.back()});
    } catch (const InputError&) {
      continue;
    }
    if (!reaches(states_.back())) continue;
    size_ = states_.back();
    ByteReader in(state_);
    earlier_ = std::chrono::milliseconds(in.varint("time"));
    state_.erase(state_.begin(), state_.end() - static_cast<std::ptrdiff_t>(in.remaining()));
    return;
  }
}

LaunchTiming KeptLaunches::next() {
  try {
    if (left_ == 0) {
      chunk_ = kept_.file->read({kTimingTag, kept_.stage, next_chunk_});
      ByteReader in(chunk_);
      left_ = in.varint("launches");
      next_chunk_ += left_;
      read_ = chunk_.size() - in.remaining();
    }
    ByteReader in{std::span<const std::uint8_t>(chunk_).subspan(read_)};
    LaunchTiming timing = decode_timing(in);
    read_ = chunk_.size() - in.remaining();
    --left_;
    if (timing.timeline) longest_ = std::max(longest_, timing.cycles);
    return timing;
  } catch (const InputError& error) {
    throw InputError(kept_.file->path() + ": " + error.what() + "; remove it to begin anew");
  }
}

void KeptLaunches::restore(TimedEngine& engine) const {
  try {
    ByteReader in(state_);
    engine.restore(in);
  } catch (const InputError& error) {
    throw InputError(kept_.file->path() + ": " + error.what() + "; remove it to begin anew");
  }
}

void KeptLaunches::add(const LaunchTiming& timing, const TimedEngine& engine) {
  if (!kept_.file) return;
  // Only the longest launch's timeline is in the result.
  if (timing.timeline && timing.cycles <= longest_ && count_ + first_ != 0) {
    LaunchTiming without = timing;
    without.timeline.reset();
    encode(without, timings_);
  } else {
    if (timing.timeline) longest_ = timing.cycles;
    encode(timing, timings_);
  }
  ++count_;
  const auto now = Clock::now();
  const Seconds since = now - last_, all = earlier_ + (now - begin_);
  if (since >= std::max(times_cost_ * cost_, part_ * all)) return write_state(&engine);
  if (timings_.size() > kMostWaiting) write_timings();
}

void KeptLaunches::finish() {
  if (kept_.file && count_ != 0) write_state(nullptr);
}

void KeptLaunches::write_timings() {
  Bytes chunk;
  put_varint(chunk, count_);
  chunk.insert(chunk.end(), timings_.begin(), timings_.end());
  kept_.file->add({kTimingTag, kept_.stage, first_}, chunk);
  first_ += count_;
  count_ = 0;
  timings_.clear();
}

/// No engine: none goes on from here.
void KeptLaunches::write_state(const TimedEngine* engine) {
  const auto before = Clock::now();
  write_timings();
  Bytes state;
  const Seconds all = earlier_ + (before - begin_);
  put_varint(state, static_cast<std::uint64_t>(all.count() * 1000));
  if (engine != nullptr) engine->save(state);
  kept_.file->add({kStateTag, kept_.stage, first_}, state);
  // The last but one stays: a file that lost its end has it.
  for (; states_.size() > 1; states_.erase(states_.begin()))
    kept_.file->drop({kStateTag, kept_.stage, states_.front()});
  if (std::find(states_.begin(), states_.end(), first_) == states_.end()) states_.push_back(first_);
  last_ = Clock::now();
  cost_ = last_ - before;
}

}  // namespace warpscope::timed
