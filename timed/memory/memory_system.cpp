#include "timed/memory/memory_system.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "timed/memory/slice_groups.h"

namespace warpscope::timed {
namespace {

/// Of an L2 slice, for each operation on one word: "one operation per clock" to a common address (NVIDIA, Kepler GK110 whitepaper; of later
/// GPUs nothing else is documented). Different words of a request are changed together.
constexpr Cycle kCyclesOfAtomic = 1;

/// Spreads lines over slices and sets. The hardware's hash is not known; this one (the finaliser of
/// SplitMix64) has no power-of-two stride that it does not spread.
std::uint64_t spread(std::uint64_t line) {
  line = (line ^ (line >> 30)) * 0xBF58476D1CE4E5B9u;
  line = (line ^ (line >> 27)) * 0x94D049BB133111EBu;
  return line ^ (line >> 31);
}

SetIndexFunction function_of(const std::string& index) {
  return index == kSpread ? nullptr : set_index(index).function;
}

std::uint32_t index_of(SetIndexFunction function, std::uint64_t line, std::uint32_t sets) {
  const LineAddr address(line);
  std::uint32_t index = 0;
  function({&address, 1}, sets, &index);
  return index;
}

}  // namespace

MemoryCounts& MemoryCounts::operator+=(const MemoryCounts& other) {
#define MEMORY_COUNTER(name, ...) name += other.name;
#include "cachesim/access/counters.def"
  return *this;
}

MemoryCounts MemoryCounts::operator-(const MemoryCounts& other) const {
  MemoryCounts d = *this;
#define MEMORY_COUNTER(name, ...) d.name -= other.name;
#include "cachesim/access/counters.def"
  return d;
}

MemorySystem::MemorySystem(const MemoryConfig& config, std::uint32_t sector_bytes)
    : config_(config),
      sector_bytes_(sector_bytes),
      sets_(static_cast<std::uint32_t>(config.l2_size_kib * 1024 / config.l2_line_bytes / config.l2_ways /
                                       config.l2_slices)),
      slices_of_part_(config.l2_slices / config.l2_partitions),
      distances_(slices_of_part_, config.l2_latency_below, config.l2_latency_above),
      piece_(std::max(1u, config.dram_access_bytes / sector_bytes)),
      request_bytes_(config.l2_requests_per_cycle == 0
                         ? 0
                         : static_cast<std::uint64_t>(
                               std::llround(config.l2_bytes_per_cycle / config.l2_requests_per_cycle))),
      slice_index_(function_of(config.l2_slice_index)),
      set_index_(function_of(config.l2_set_index)),
      slices_(config.l2_slices),
      channels_(config.dram_channels, RateLimiter(config.dram_bytes_per_cycle)),
      tags_(std::size_t{config.l2_slices} * sets_ * config.l2_ways, kNoLine),
      last_uses_(tags_.size()),
      lines_(tags_.size()) {
  tell_dram_apart(false);
  if (config.shared_l1.size_kib != 0) shared_.emplace(config.shared_l1, config.l2_line_bytes, sector_bytes);
  for (std::uint32_t s = 0; s < config.l2_slices; ++s)
    slices_[s] = {RateLimiter(config.l2_bytes_per_cycle), s * config.dram_channels / config.l2_slices};
}

void MemorySystem::split(std::uint32_t lanes) {
  if (lanes == wanted_lanes_) return;
  wanted_lanes_ = lanes;
  const std::vector<std::uint32_t> groups = slice_groups(config_);
  const std::uint32_t count = std::clamp(lanes, 1u, 1 + *std::max_element(groups.begin(), groups.end()));
  std::vector<Tally> tallies(count);
  tallies[0] = {counts()};
  tallies_ = std::move(tallies);
  for (std::uint32_t s = 0; s < config_.l2_slices; ++s) slices_[s].lane = groups[s] % count;
}

MemoryCounts MemorySystem::counts() const {
  MemoryCounts sum;
  for (const Tally& tally : tallies_) sum += tally.counts;
  return sum;
}

void MemorySystem::tell_dram_apart(bool apart) {
  far_dram_ = apart && config_.l2_partitions > 1 ? config_.l2_far_latency : 0;
  dram_latency_ = config_.dram_latency - std::min(config_.dram_latency, far_dram_ / 2);
}

void MemorySystem::begin_launch(bool keep) {
  if (shared_) shared_->clear();
  if (keep) return;
  std::fill(tags_.begin(), tags_.end(), kNoLine);
  std::fill(last_uses_.begin(), last_uses_.end(), 0);
  std::fill(lines_.begin(), lines_.end(), Line{});
  // What an earlier launch still has in the queues is as much its trace as the content.
  for (Slice& slice : slices_) slice.port = RateLimiter(config_.l2_bytes_per_cycle);
  std::fill(channels_.begin(), channels_.end(), RateLimiter(config_.dram_bytes_per_cycle));
}

std::uint32_t MemorySystem::slice_of(std::uint64_t line) const {
  if (slice_index_ == nullptr) return static_cast<std::uint32_t>(spread(line) % config_.l2_slices);
  return index_of(slice_index_, line, config_.l2_slices);
}

/// Where a part keeps its copy of a line whose own slice is `home`.
std::uint32_t MemorySystem::slice_in(std::uint32_t part, std::uint32_t home) const {
  return part * slices_of_part_ + home % slices_of_part_;
}

/// The whole pieces in which these sectors are.
SectorMask MemorySystem::pieces_of(SectorMask sectors) const {
  if (piece_ == 1) return sectors;
  const std::uint32_t in_line = config_.l2_line_bytes / sector_bytes_, piece = (1u << piece_) - 1;
  std::uint32_t all = 0;
  for (std::uint32_t at = 0; at < in_line; at += piece_)
    if ((sectors >> at & piece) != 0) all |= piece << at;
  return static_cast<SectorMask>(all);
}

/// When a request for these sectors, which takes `least` cycles, begins to be served.
Cycle MemorySystem::take_port(std::uint32_t slice, Cycle at, SectorMask sectors, double cost, Cycle least) {
  const std::uint64_t bytes = std::max(request_bytes_, sectors_in(sectors) * sector_bytes_);
  return slices_[slice].port.take(
      at, cost == 1 ? bytes : static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * cost)),
      least);
}

std::uint32_t MemorySystem::set_of(std::uint64_t line) const {
  if (set_index_ == nullptr) return static_cast<std::uint32_t>((spread(line) >> 16) % sets_);
  return index_of(set_index_, line / config_.l2_slices, sets_);
}

/// The line's place in the L2, or, where it is not there, that of the least recently used line in its set.
std::size_t MemorySystem::place_of(std::uint64_t line, std::uint32_t slice) const {
  const std::size_t row = (std::size_t{slice} * sets_ + set_of(line)) * config_.l2_ways;
  const std::uint64_t *tags = &tags_[row], *last_uses = &last_uses_[row];
  for (std::uint32_t way = 0; way < config_.l2_ways; ++way)
    if (tags[way] == line) return row + way;
  return row + static_cast<std::size_t>(std::min_element(last_uses, last_uses + config_.l2_ways) - last_uses);
}

/// The line is at `place` from now on, of which it is the newest use; nothing of it, if another one was there.
MemorySystem::Line& MemorySystem::take_place(std::size_t place, std::uint64_t line, std::uint32_t slice) {
  if (tags_[place] != line) {
    tags_[place] = line;
    lines_[place] = {};
  }
  last_uses_[place] = ++slices_[slice].clock;
  return lines_[place];
}

/// The line in the L2; the least recently used one leaves for it, written back if dirty.
MemorySystem::Line& MemorySystem::line_of(std::uint64_t line, std::uint32_t slice, Cycle now) {
  const std::size_t place = place_of(line, slice);
  if (const SectorMask dirty = lines_[place].dirty; dirty != 0 && tags_[place] != line) {
    if (!config_.l2_writes_through) write_back(dirty, 0, slice, now);
  }
  return take_place(place, line, slice);
}

/// Sectors of a line go to the DRAM, which has what was `before` already.
void MemorySystem::write_back(SectorMask sectors, SectorMask before, std::uint32_t slice, Cycle now) {
  MemoryCounts& counts = tally_of(slice).counts;
  counts.l2_write_backs += sectors_in(sectors);
  counts.dram_write_bytes += sectors_in(sectors) * sector_bytes_;
  const auto pieces = static_cast<SectorMask>(pieces_of(sectors) & ~pieces_of(before));
  channels_[slices_[slice].channel].take(now, sectors_in(pieces) * sector_bytes_);
}

/// The line has these sectors, newer than the DRAM's.
void MemorySystem::write(Line& line, SectorMask sectors, std::uint32_t slice, Cycle now) {
  const auto more = static_cast<SectorMask>(sectors & ~line.dirty);
  if (config_.l2_writes_through && more != 0) write_back(more, line.dirty, slice, now);
  line.dirty |= sectors;
}

void MemorySystem::touch(std::uint64_t line, SectorMask sectors, bool writes) {
  const std::uint32_t slice = slice_of(line);
  Line& there = take_place(place_of(line, slice), line, slice);
  there.valid |= sectors;
  if (writes) there.dirty |= sectors;
}

void MemorySystem::fetch(Line& line, SectorMask sectors, std::uint32_t slice, Cycle start) {
  RateLimiter& channel = channels_[slices_[slice].channel];
  const std::uint64_t bytes = sectors_in(sectors) * sector_bytes_;
  tally_of(slice).counts.dram_read_bytes += bytes;
  const Cycle served = channel.take(start, bytes);
  line.arrives = std::max(line.arrives, served + dram_latency_);
  line.valid |= sectors;
  line.coming |= sectors;
}

Cycle MemorySystem::serve(const MemoryRequest& request) {
  if (!shared_) return serve_l2(request);
  if (request.kind == MemoryRequest::Kind::Load) return load_shared(request);
  shared_->remove(request.core, request.line);
  return serve_l2(request);
}

/// What the cores' shared cache has comes from there; the rest takes as long as without it, but for the time that it waits there.
Cycle MemorySystem::load_shared(const MemoryRequest& request) {
  const std::uint32_t latency = config_.shared_l1.latency;
  const Cycle arrival = request.time + latency / 2;
  const SharedL1s::Found found = shared_->load(request.core, request.line, request.sectors, arrival);
  MemoryCounts& counts = tallies_.front().counts;  // there is one lane
  counts.shared_l1_load_hits += sectors_in(found.hit);
  counts.shared_l1_load_pending += sectors_in(found.pending);
  counts.shared_l1_load_misses += sectors_in(found.absent);
  Cycle ready = found.start + latency - latency / 2;
  if (found.pending != 0) ready = std::max(ready, found.arrives);
  if (found.absent == 0) return ready;
  MemoryRequest rest = request;
  rest.sectors = found.absent;
  rest.time += found.start - arrival;
  const Cycle fetched = serve_l2(rest);
  shared_->fetched(request.core, request.line, found.absent, fetched);
  return std::max(ready, fetched);
}

Cycle MemorySystem::serve_l2(const MemoryRequest& request) {
  using Kind = MemoryRequest::Kind;
  const std::uint32_t home = slice_of(request.line), part = request.core % config_.l2_partitions;
  const std::uint32_t slice = request.kind == Kind::Load ? slice_in(part, home) : home;
  const Cycle arrival = request.time + config_.l2_latency / 2;
  const Cycle start =
      take_port(slice, arrival, request.sectors, request.kind == Kind::Store ? config_.l2_store_cost : 1,
                request.kind == Kind::Atomic ? request.operations * kCyclesOfAtomic : 0);
  Tally& tally = tally_of(slice);
  Line& line = line_of(request.line, slice, start);
  if (line.arrives <= start) line.coming = 0;
  Cycle at_once = start + config_.l2_latency - config_.l2_latency / 2;
  if (request.kind == Kind::Store) {
    store(request, home, line, start);
    return at_once;
  }
  auto absent = static_cast<SectorMask>(request.sectors & ~line.valid);
  const SectorMask missing = absent, pending = request.sectors & line.coming;
  if (absent != 0) absent = fetch_absent(request, absent, slice, arrival, start);
  if (request.kind == Kind::Atomic) {
    tally.counts.l2_atomics += sectors_in(request.sectors);
    write(line, request.sectors, slice, start);
    remove_copies(request.line, request.sectors, home, config_.l2_partitions);
    if (slice_in(part, home) != home) at_once += config_.l2_far_latency;
    at_once += (request.operations - 1) * kCyclesOfAtomic;
  } else {
    tally.counts.l2_load_misses += sectors_in(absent);
    tally.counts.l2_load_pending += sectors_in(pending);
    tally.counts.l2_load_hits += sectors_in(request.sectors) - sectors_in(absent) - sectors_in(pending);
  }
  at_once += static_cast<Cycle>(std::int64_t{distances_.of(request.core, slice)});
  if ((missing | pending) == 0) return at_once;
  return line.arrives - start + at_once;
}

void MemorySystem::store(const MemoryRequest& request, std::uint32_t home, Line& line, Cycle start) {
  MemoryCounts& counts = tally_of(home).counts;
  counts.l2_store_hits += sectors_in(request.sectors & line.valid);
  counts.l2_store_misses += sectors_in(static_cast<SectorMask>(request.sectors & ~line.valid));
  line.valid |= request.sectors;
  write(line, request.sectors, home, start);
  remove_copies(request.line, request.sectors, home, request.core % config_.l2_partitions);
}

/// What the parts other than that of the line and `writer` have of these sectors is not what memory holds any more.
void MemorySystem::remove_copies(std::uint64_t line, SectorMask sectors, std::uint32_t home,
                                 std::uint32_t writer) {
  for (std::uint32_t part = 0; part < config_.l2_partitions; ++part) {
    const std::uint32_t slice = slice_in(part, home);
    if (slice == home || part == writer) continue;
    if (const std::size_t place = place_of(line, slice); tags_[place] == line)
      lines_[place].valid &= static_cast<SectorMask>(~sectors);
  }
}

/// Brings the sectors of `absent` into the line at `slice`, and what comes with them; says which of them the DRAM serves.
SectorMask MemorySystem::fetch_absent(const MemoryRequest& request, SectorMask absent, std::uint32_t slice,
                                      Cycle arrival, Cycle start) {
  const std::uint32_t home = slice_of(request.line);
  Line& line = lines_[place_of(request.line, slice)];
  const auto wanted = static_cast<SectorMask>(pieces_of(absent) & ~line.valid);
  if (request_bytes_ != 0) take_port(slice, arrival, 0);  // of the data, when it comes
  if (slice == home) {
    fetch(line, wanted, slice, start);
    return absent;
  }
  const SectorMask from_dram = fetch_far(line, request, wanted, arrival, start);
  tally_of(slice).counts.l2_far_loads += sectors_in(absent);
  return absent & from_dram;
}

/// From the line's own slice into `line`, another part's. What the DRAM serves takes as long as tell_dram_apart() says.
/// A port takes requests in the order in which they come to the L2, so that one that waits at a slice keeps nobody waiting at the next.
SectorMask MemorySystem::fetch_far(Line& line, const MemoryRequest& request, SectorMask wanted, Cycle arrival,
                                   Cycle start) {
  const std::uint32_t home = slice_of(request.line);
  const Cycle there = start + take_port(home, arrival, wanted) - arrival;
  Line& own = line_of(request.line, home, there);
  if (own.arrives <= there) own.coming = 0;
  Cycle arrives = there + config_.l2_far_latency;
  const SectorMask pending = wanted & own.coming;
  const auto absent = static_cast<SectorMask>(wanted & ~own.valid);
  if (absent != 0) fetch(own, absent, home, start);
  if ((absent | pending) != 0) arrives = std::max(arrives, own.arrives + far_dram_);
  line.arrives = std::max(line.arrives, arrives);
  line.valid |= wanted;
  line.coming |= wanted;
  return absent;
}

}  // namespace warpscope::timed
