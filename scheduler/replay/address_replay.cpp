#include "scheduler/replay/address_replay.h"

#include <algorithm>
#include <bit>

namespace warpscope {
namespace {

// The loops over all lanes are written without early exit so that they vectorise.
bool offsets_match(const LanePattern& pattern, const std::uint64_t* first) {
  const std::uint64_t base = first[0];
  std::uint64_t difference = 0;
  for (std::uint32_t l = 0; l < pattern.lanes; ++l) {
    difference |= (first[l] - base) ^ static_cast<std::uint64_t>(pattern.offset[l]);
  }
  return difference == 0;
}

bool all_equal(const std::uint32_t* values, unsigned count) {
  std::uint32_t difference = 0;
  for (unsigned l = 0; l < count; ++l) difference |= values[l] ^ values[0];
  return difference == 0;
}

/// Whether the shapes of all of `lanes`, which has lane 0, are the same. `shapes`: of lane 0 and those after it.
bool alike(const std::uint32_t* shapes, LaneMask lanes) {
  const auto count = static_cast<unsigned>(std::popcount(lanes));
  if (lanes == low_lanes(count)) return all_equal(shapes, count);
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    if (shapes[std::countr_zero(rest)] != shapes[0]) return false;
  }
  return true;
}

void finish_pattern(LanePattern& pattern, LaneMask lanes) {
  pattern.mask = lanes;
  pattern.lanes = static_cast<std::uint32_t>(std::popcount(lanes));
  const auto bounds = std::minmax_element(pattern.offset.begin(), pattern.offset.begin() + pattern.lanes);
  pattern.min_offset = *bounds.first;
  pattern.max_offset = *bounds.second;
}

}  // namespace

AddressReplay::AddressReplay(const SharedGroup& group, PatternMemory& memory, std::uint32_t warp_size)
    : group_(&group),
      memory_(&memory),
      warp_size_(warp_size),
      sites_(group.columns.size()),
      together_(sites_ * ((group.work_items + warp_size - 1) / warp_size)),
      runs_(together_.size()) {}

ShapeView AddressReplay::shape_of(std::uint32_t item, SiteId site, unsigned lane) const {
  const ColumnForm* const form = group_->columns[site.value()].form.get();
  if (form == nullptr) throw AddressDamage{lane};
  const SiteColumn& column = form->column;
  if (item >= column.shape_of.size() || column.shape_of[item] >= column.shapes.size())
    throw AddressDamage{lane};
  return column.shapes[column.shape_of[item]];
}

void AddressReplay::next_slow(std::uint32_t warp, SiteId site, LaneMask lanes, Together& cursor,
                              WarpAccess& out) {
  if (--until_release_ == 0) [[unlikely]]
    release_pages();
  const bool fresh = cursor.pattern == nullptr && cursor.left == 0;
  if (fresh && start_together(warp, site, lanes, cursor)) {
    out.base = BufferAddr(cursor.key);
  } else if (cursor.lanes() == lanes) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    RunCursor& runs = runs_of(cursor);
    if (!runs.has_next()) throw AddressDamage{lane};
    const DeltaRun run = runs.next();
    cursor.delta = run.delta;
    cursor.left = run.repeat - 1;
    cursor.key += static_cast<std::uint64_t>(run.delta);
    out.base = BufferAddr(cursor.key);
  } else {
    if (cursor.pattern != nullptr || cursor.left == 0) part(cursor);
    return next_apart(warp, site, lanes, &alone_[(cursor.left - 1) * warp_size_], out);
  }
  out.pattern = &cursor.pattern->pattern;
  out.pattern_id = cursor.pattern->id;
}

void AddressReplay::release_pages() {
  until_release_ = kCallsPerRelease;
  for (const SharedColumn& column : group_->columns) {
    const PagedBytes* const pages = column.form != nullptr ? column.form->column.shapes.pages() : nullptr;
    if (pages != nullptr) return pages->release();  // those of all columns
  }
}

bool AddressReplay::start_together(std::uint32_t warp, SiteId site, LaneMask lanes, Together& cursor) {
  const SharedColumn& shared = group_->columns[site.value()];
  WarpStart& last = memory_->last(warp, site);
  if (shared.form == nullptr || shared.form->id == 0 || shared.form->id != last.form || last.lanes != lanes) {
    const auto low = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint32_t item = warp * warp_size_ + low;
    const ShapeView shape = shape_of(item, site, low);
    const SiteColumn& column = shared.form->column;
    if (!alike(&column.shape_of[item], lanes >> low)) return false;
    const KnownPattern* pattern = pattern_of(last.pattern, lanes, &column.first[item]);
    if (pattern == nullptr) return false;
    last = {shared.form->id, lanes, pattern, column.first[item], shape.runs()};
  }
  cursor.key = last.first + shared.moved;
  runs_of(cursor) = last.runs;
  cursor.left = 0;
  cursor.pattern = last.pattern;
  return true;
}

// `first` points at the first location of the lowest lane in `lanes`. `last`: the pattern to be expected, or null.
const KnownPattern* AddressReplay::pattern_of(const KnownPattern* last, LaneMask lanes,
                                              const std::uint64_t* first) {
  const LaneMask shifted = lanes >> std::countr_zero(lanes);
  if (shifted == 1) return memory_->dictionary().single(static_cast<unsigned>(std::countr_zero(lanes)));
  const bool gapless = (shifted & (shifted + 1)) == 0;
  if (gapless && last != nullptr && last->pattern.mask == lanes && offsets_match(last->pattern, first))
    return last;
  std::uint32_t used = 0;
  for (LaneMask rest = shifted; rest != 0; rest &= rest - 1) {
    scratch_.offset[used++] = static_cast<std::int64_t>(first[std::countr_zero(rest)] - first[0]);
  }
  finish_pattern(scratch_, lanes);
  return memory_->dictionary().intern(scratch_);
}

// Gives every lane its own cursor; those that moved together so far continue where they are.
void AddressReplay::part(Together& cursor) {
  const std::size_t begin = alone_.size();
  alone_.resize(begin + warp_size_);
  std::uint32_t used = 0;
  for (LaneMask rest = cursor.lanes(); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    Alone& own = alone_[begin + lane];
    own.key = cursor.key + static_cast<std::uint64_t>(cursor.pattern->pattern.offset[used++]);
    own.delta = cursor.delta;
    own.left = cursor.left;
    own.runs = runs_of(cursor);
  }
  cursor.pattern = nullptr;
  cursor.left = begin / warp_size_ + 1;
}

void AddressReplay::start(Alone& cursor, std::uint32_t warp, SiteId site, unsigned lane) const {
  const std::uint32_t item = warp * warp_size_ + lane;
  cursor.runs = shape_of(item, site, lane).runs();
  const SharedColumn& column = group_->columns[site.value()];
  cursor.key = column.form->column.first[item] + column.moved;
  cursor.left = 0;
}

inline void AddressReplay::advance(Alone& cursor, std::uint32_t warp, SiteId site, unsigned lane) const {
  if (cursor.left == kNotStarted) return start(cursor, warp, site, lane);
  if (cursor.left == 0) {
    if (!cursor.runs.has_next()) throw AddressDamage{lane};
    const DeltaRun run = cursor.runs.next();
    cursor.delta = run.delta;
    cursor.left = run.repeat;
  }
  --cursor.left;
  cursor.key += static_cast<std::uint64_t>(cursor.delta);
}

void AddressReplay::next_apart(std::uint32_t warp, SiteId site, LaneMask lanes, Alone* alone,
                               WarpAccess& out) {
  const auto low = static_cast<unsigned>(std::countr_zero(lanes));
  advance(alone[low], warp, site, low);
  const std::uint64_t base = alone[low].key;
  out.base = BufferAddr(base);
  if ((lanes & (lanes - 1)) == 0) {
    const KnownPattern* single = memory_->dictionary().single(low);
    out.pattern = &single->pattern;
    out.pattern_id = single->id;
    return;
  }
  std::uint32_t used = 1;
  std::int64_t least = 0, most = 0;
  scratch_.offset[0] = 0;
  for (LaneMask rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    advance(alone[lane], warp, site, lane);
    const auto offset = static_cast<std::int64_t>(alone[lane].key - base);
    scratch_.offset[used++] = offset;
    least = std::min(least, offset);
    most = std::max(most, offset);
  }
  scratch_.mask = lanes;
  scratch_.lanes = used;
  scratch_.min_offset = least;
  scratch_.max_offset = most;
  out.pattern = &scratch_;
  out.pattern_id = 0;
}

void AddressReplay::prefetch(std::uint32_t warp, SiteId site, LaneMask lanes) const {
  const Together& cursor = together_[std::size_t{warp} * sites_ + site.value()];
  if (cursor.pattern != nullptr || cursor.left == 0) return;
  const Alone* const alone = &alone_[(cursor.left - 1) * warp_size_];
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    // As numbers, because the next line may be past the end, or there are no runs: a prefetch of it does no
    // harm.
    const auto runs = reinterpret_cast<std::uintptr_t>(alone[std::countr_zero(rest)].runs.position());
    for (const std::uintptr_t line : {runs, runs + 64}) {
      __builtin_prefetch(reinterpret_cast<const void*>(line));  // NOLINT(performance-no-int-to-ptr)
    }
  }
}

bool AddressReplay::exhausted(std::uint32_t warp) const {
  const std::uint32_t first = warp * warp_size_;
  const std::uint32_t lanes = std::min(warp_size_, group_->work_items - first);
  for (std::size_t s = 0; s < sites_; ++s) {
    if (group_->columns[s].form == nullptr) continue;
    const SiteColumn& column = group_->columns[s].form->column;
    const Together& cursor = together_[warp * sites_ + s];
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const bool recorded = column.shape_of[first + lane] != SiteColumn::kNone;
      const bool together = (cursor.lanes() >> lane & 1u) != 0;
      const bool apart = cursor.pattern == nullptr && cursor.left != 0;
      const Alone* own = apart ? &alone_[(cursor.left - 1) * warp_size_ + lane] : nullptr;
      const bool started = together || (own != nullptr && own->left != kNotStarted);
      if (started != recorded) return false;
      if (!started) continue;
      const RunCursor& runs = together ? runs_[warp * sites_ + s] : own->runs;
      const std::uint64_t left = together ? cursor.left : own->left;
      if (left != 0 || runs.has_next()) return false;
    }
  }
  return true;
}

}  // namespace warpscope
