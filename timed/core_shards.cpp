#include "timed/core_shards.h"

#include <algorithm>

#include "timed/host_times.h"

namespace warpscope::timed {
namespace {

constexpr std::uint32_t kShardsPerThread = 4;

/// `counts` with the number that each origin of `from` has in `to`, which is sorted and has all of them. A core without
/// accesses has none.
std::vector<OriginCounts> renumbered(const std::vector<OriginCounts>& counts, std::span<const Origin> from,
                                     const std::vector<Origin>& to) {
  if (counts.empty()) return {};
  std::vector<OriginCounts> all(to.size());
  for (std::size_t o = 0; o < counts.size(); ++o) {
    const auto at = std::lower_bound(to.begin(), to.end(), from[o]) - to.begin();
    all[static_cast<std::size_t>(at)] = counts[o];
  }
  return all;
}

}  // namespace

std::uint32_t shards_of(std::uint32_t cores, std::uint32_t threads) {
  return threads <= 1 ? 1 : std::min(cores, kShardsPerThread * threads);
}

CoreShards::CoreShards(std::uint32_t cores, const std::vector<std::unique_ptr<AccessLines>>& lines,
                       std::uint32_t warps_per_group, std::uint32_t sites, const MakeCore& make,
                       TaskPool& pool)
    : pool_(pool) {
  for (const auto& of_shard : lines)
    shards_.push_back(
        std::unique_ptr<Shard>(new Shard{*of_shard, PatternMemory(warps_per_group, sites), {}, nullptr, 0}));
  for (std::uint32_t core = 0; core < cores; ++core) {
    Shard& shard = *shards_[core % shards_.size()];
    shard.cores.push_back(core);
    cores_.push_back(make(core, shard));
  }
}

void CoreShards::advance(Shard& shard, Cycle end) {
  for (std::size_t c = 0; c < shard.cores.size(); ++c) {
    const std::uint32_t core = shard.cores[c];
    if (c + 1 < shard.cores.size()) cores_[shard.cores[c + 1]]->prefetch();
    try {
      if (seconds_.empty())
        cores_[core]->advance(end);
      else
        seconds_[core] = host_seconds_of([&] { cores_[core]->advance(end); });
    } catch (...) {
      shard.failure = std::current_exception();
      shard.failed = core;
      return;
    }
  }
}

void CoreShards::advance(Cycle end) {
  pool_.start(shards_.size(), [this, end](std::size_t shard) { advance(*shards_[shard], end); });
  pool_.finish();
  const Shard* failed = nullptr;
  for (const auto& shard : shards_)
    if (shard->failure && (failed == nullptr || shard->failed < failed->failed)) failed = shard.get();
  if (failed != nullptr) std::rethrow_exception(failed->failure);
}

bool CoreShards::idle() const {
  return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) { return core->idle(); });
}

std::vector<CoreCounts> CoreShards::counts(std::vector<Origin>& origins) const {
  OriginTable all;
  for (const auto& shard : shards_)
    for (const Origin& origin : shard->lines.origins()) all.id_of(origin);
  origins.assign(all.origins().begin(), all.origins().end());
  std::sort(origins.begin(), origins.end());
  std::vector<CoreCounts> counts;
  for (std::uint32_t core = 0; core < size(); ++core) {
    const AccessLines& lines = shards_[core % shards_.size()]->lines;
    counts.push_back(cores_[core]->counts());
    counts.back().origins = renumbered(counts.back().origins, lines.origins(), origins);
  }
  return counts;
}

}  // namespace warpscope::timed
