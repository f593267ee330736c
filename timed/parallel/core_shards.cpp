#include "timed/parallel/core_shards.h"

#include <algorithm>

#include "timed/parallel/host_times.h"

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
                       MemoryExchange& memory, TaskPool& pool)
    : memory_(memory), pool_(pool) {
  for (const auto& of_shard : lines)
    shards_.push_back(std::unique_ptr<Shard>(new Shard{*of_shard, PatternMemory(warps_per_group, sites)}));
  for (std::uint32_t core = 0; core < cores; ++core) {
    Shard& shard = *shards_[core % shards_.size()];
    shard.cores.push_back(core);
    cores_.push_back(make(core, shard));
  }
}

/// Of a core that advances next.
void CoreShards::prepare(std::uint32_t core) {
  memory_.reply_to(core, [this, core](const MemoryReply& reply) { cores_[core]->receive(reply); });
  cores_[core]->prefetch();
}

void CoreShards::advance(std::uint32_t number, Cycle end) {
  Shard& shard = *shards_[number];
  if (!shard.cores.empty()) prepare(shard.cores.front());
  for (std::size_t c = 0; c < shard.cores.size(); ++c) {
    const std::uint32_t core = shard.cores[c];
    const auto advance_core = [&] {
      if (c + 1 < shard.cores.size()) prepare(shard.cores[c + 1]);
      cores_[core]->advance(end);
      memory_.take(core, cores_[core]->outbox());
    };
    try {
      if (seconds_.empty())
        advance_core();
      else
        seconds_[core] = host_seconds_of(advance_core);
    } catch (...) {
      shard.failure = std::current_exception();
      shard.failed = core;
      return;
    }
  }
}

void CoreShards::advance(Cycle end) {
  pool_.start(shards_.size(),
              [this, end](std::size_t shard) { advance(static_cast<std::uint32_t>(shard), end); });
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

std::vector<WarpStallCounts> CoreShards::stalls() const {
  std::vector<WarpStallCounts> all;
  for (const auto& shard : shards_) {
    all.resize(std::max(all.size(), shard->stalls.size()));
    for (std::size_t i = 0; i < shard->stalls.size(); ++i) all[i] += shard->stalls[i];
  }
  return all;
}

}  // namespace warpscope::timed
