#include "timed/footprint/l2_content.h"

namespace warpscope::timed {
namespace {

/// Accesses of a core: about as many as it makes while a line comes from the DRAM, at up to one per cycle.
constexpr std::uint64_t kSoon = 512;

}  // namespace

Shared& Shared::operator+=(const Shared& other) {
  all += other.all;
  of_some += other.of_some;
  of_one += other.of_one;
  of_two += other.of_two;
  return *this;
}

L2Counts& L2Counts::operator+=(const L2Counts& other) {
  lines += other.lines;
  for (const auto& [id, more] : other.buffers) {
    BufferInL2& buffer = buffers[id];
    buffer.loaded += more.loaded;
    buffer.by_some += more.by_some;
    buffer.by_others += more.by_others;
    buffer.found += more.found;
    buffer.soon += more.soon;
  }
  return *this;
}

void L2Content::Sharers::add(std::uint32_t core, bool is_some) {
  some |= is_some;
  if (core == first || core == second) return;
  if (first == kNone)
    first = core;
  else if (second == kNone)
    second = core;
  else
    more = true;
}

void L2Content::Sharers::count(Shared& shared) const {
  if (first == kNone) return;
  ++shared.all;
  shared.of_some += some ? 1 : 0;
  shared.of_one += second == kNone ? 1 : 0;
  shared.of_two += second != kNone && !more ? 1 : 0;
}

L2Content::L2Content(const SampledCores& some, std::uint32_t lines, std::uint32_t sectors_per_line,
                     L2Counts& counts)
    : some_(some), sectors_per_line_(sectors_per_line), lists_(1, lines), lines_(lines), counts_(counts) {}

/// Where the line is; for one that was not there the least recently used leaves.
LruLists::Node L2Content::place_of(std::uint64_t line) {
  const LruLists::Node found = lists_.find(line);
  if (found != LruLists::kNone) {
    lists_.touch(0, found);
    return found;
  }
  if (replaced_ == lines_.size()) count_lines();
  const LruLists::Node place = lists_.oldest(0);
  replaced_ += lists_.is_empty(place) ? 0 : 1;
  count_sectors(lines_[place]);
  lists_.replace(0, place, line, 0, 0);
  lines_[place] = {};
  return place;
}

void L2Content::access(const CoresInOrder::Access& access) {
  const bool is_some = some_.has(access.core);
  const LruLists::Node place = place_of(access.sector / sectors_per_line_);
  Line& line = lines_[place];
  if (!line.touched) touched_.push_back(place);
  line.touched = true;
  line.cores.add(access.core, is_some);
  Sector& sector = line.sectors[access.sector % sectors_per_line_];
  if (!access.is_store) load(sector, access, is_some);
  if (!sector.is_there) sector.since = access.time;
  sector.is_there = true;
  sector.used |= is_some;
}

void L2Content::load(Sector& sector, const CoresInOrder::Access& access, bool is_some) {
  sector.buffer = access.buffer;
  sector.loaders.add(access.core, is_some);
  ++sector.loads;
  if (!is_some) return;
  ++sector.loads_by_some;
  if (sector.used || !sector.is_there) return;
  BufferInL2& buffer = counts_.buffers[access.buffer];
  ++buffer.found;
  buffer.soon += !sector.was_there && access.time - sector.since < kSoon ? 1 : 0;
}

void L2Content::count_lines() {
  for (const Line& line : lines_) line.cores.count(counts_.lines);
  replaced_ = 0;
  counted_ = true;
}

/// Before they leave, or when a launch is over.
void L2Content::count_sectors(const Line& line) {
  for (const Sector& sector : line.sectors) {
    if (sector.loads == 0) continue;
    BufferInL2& buffer = counts_.buffers[sector.buffer];
    sector.loaders.count(buffer.loaded);
    if (sector.loads_by_some == 0 || sector.was_used) continue;
    const double by_some =
        sector.was_there ? 0 : static_cast<double>(sector.loads_by_some) / static_cast<double>(sector.loads);
    buffer.by_some += by_some;
    buffer.by_others += 1 - by_some;
  }
}

void L2Content::end_launch() {
  for (const LruLists::Node place : touched_) {
    Line& line = lines_[place];
    count_sectors(line);
    for (Sector& sector : line.sectors) {
      sector.was_there = sector.is_there;
      sector.was_used = sector.used;
      sector.loads = sector.loads_by_some = 0;
      sector.loaders = {};
    }
    line.touched = false;
  }
  touched_.clear();
}

void L2Content::end() {
  if (!counted_) count_lines();
}

}  // namespace warpscope::timed
