#include "scheduler/replay/access_queue.h"

#include <algorithm>
#include <bit>

namespace warpscope {

void AccessQueue::push(const WarpAccess& access) {
  const LanePattern& pattern = *access.pattern;
  if (accesses_.capacity() == 0) accesses_.reserve(kAccesses);
  if (access.pattern_id != 0) {
    accesses_.push_back({access.base, access.pattern, access.pattern_id, access.site, 0, 0, 0});
    return;
  }
  accesses_.push_back(
      {access.base, nullptr, 0, access.site, pattern.mask, pattern.min_offset, pattern.max_offset});
  offsets_.insert(offsets_.end(), pattern.offset.begin(), pattern.offset.begin() + pattern.lanes);
}

void AccessQueue::pop(WarpAccess& access, LanePattern& scratch) {
  const Waiting& first = accesses_[next_++];
  access.base = first.base;
  access.site = first.site;
  access.pattern_id = first.pattern_id;
  access.pattern = first.known;
  if (first.known != nullptr) return;
  scratch.mask = first.mask;
  scratch.lanes = static_cast<std::uint32_t>(std::popcount(first.mask));
  scratch.min_offset = first.min_offset;
  scratch.max_offset = first.max_offset;
  std::copy_n(offsets_.begin() + static_cast<std::ptrdiff_t>(next_offset_), scratch.lanes,
              scratch.offset.begin());
  next_offset_ += scratch.lanes;
  access.pattern = &scratch;
  // Hundreds of warps come before the next visit, but not so many that it would leave the second-level cache.
  __builtin_prefetch(accesses_.data() + next_);
  __builtin_prefetch(offsets_.data() + next_offset_);
  __builtin_prefetch(offsets_.data() + next_offset_ + 64 / sizeof(std::int64_t));
}

}  // namespace warpscope
