#include "timed/memory/shared_l1.h"

#include <algorithm>

namespace warpscope::timed {

SharedL1s::SharedL1s(const SharedL1Config& config, std::uint32_t line_bytes, std::uint32_t sector_bytes)
    : config_(config),
      sector_bytes_(sector_bytes),
      sets_(config.size_kib * 1024 / line_bytes / config.ways) {}

SharedL1s::Cache& SharedL1s::cache_of(std::uint32_t core) {
  const std::size_t at = core / config_.cores;
  while (caches_.size() <= at)
    caches_.push_back({std::vector<Line>(sets_ * config_.ways), RateLimiter(config_.bytes_per_cycle)});
  return caches_[at];
}

SharedL1s::Line* SharedL1s::find(Cache& cache, std::uint64_t line) const {
  Line* const row = &cache.lines[line % sets_ * config_.ways];
  Line* const found = std::find_if(row, row + config_.ways, [&](const Line& one) { return one.tag == line; });
  return found == row + config_.ways ? nullptr : found;
}

SharedL1s::Line& SharedL1s::oldest(Cache& cache, std::uint64_t line) const {
  Line* const row = &cache.lines[line % sets_ * config_.ways];
  return *std::min_element(row, row + config_.ways,
                           [](const Line& a, const Line& b) { return a.last_use < b.last_use; });
}

SharedL1s::Found SharedL1s::load(std::uint32_t core, std::uint64_t line, SectorMask sectors, Cycle arrival) {
  Cache& cache = cache_of(core);
  Found found;
  found.start = cache.port.take(arrival, sectors_in(sectors) * sector_bytes_);
  Line* place = find(cache, line);
  if (place == nullptr) {
    found.absent = sectors;
    return found;
  }
  place->last_use = ++clock_;
  if (place->arrives <= found.start) place->coming = 0;
  found.absent = static_cast<SectorMask>(sectors & ~place->valid);
  found.pending = sectors & place->coming;
  found.hit = static_cast<SectorMask>(sectors & place->valid & ~place->coming);
  found.arrives = place->arrives;
  return found;
}

void SharedL1s::fetched(std::uint32_t core, std::uint64_t line, SectorMask sectors, Cycle arrives) {
  Cache& cache = cache_of(core);
  Line* place = find(cache, line);
  if (place == nullptr) {
    place = &oldest(cache, line);
    *place = {};
    place->tag = line;
    place->last_use = ++clock_;
  }
  place->valid |= sectors;
  place->coming |= sectors;
  place->arrives = std::max(place->arrives, arrives);
}

void SharedL1s::remove(std::uint32_t core, std::uint64_t line) {
  if (Line* const place = find(cache_of(core), line)) *place = {};
}

void SharedL1s::clear() {
  caches_.clear();
}

}  // namespace warpscope::timed
