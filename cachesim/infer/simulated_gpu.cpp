#include "cachesim/infer/simulated_gpu.h"

#include <algorithm>
#include <cmath>

#include "cachesim/l1/core_seed.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/simulate/preset_cache.h"
#include "traces/base/random.h"

namespace warpscope::infer {
namespace {

constexpr std::uint64_t kBase = 0x10000000;  // a multiple of what patterns span
// Where a preset does not know them. Only their difference matters.
constexpr double kHitCycles = 30, kMissCycles = 200;

}  // namespace

/// By AccessKind load and store; `late` = after the first round.
struct SimulatedGpu::Tally {
  std::uint64_t count[2] = {}, misses[2] = {}, late_loads = 0, late_misses = 0;
};

SimulatedGpu::SimulatedGpu(const GpuPreset& preset, const MeasuringOptions& options)
    : options_(options),
      cached_(preset.l1_size_kib != 0 && preset.l1_caches_global_loads),
      hit_cycles_(preset.l1_hit_latency_cycles.value_or(kHitCycles)),
      miss_cycles_(std::max(preset.l2_hit_latency_cycles.value_or(kMissCycles), 2 * hit_cycles_)) {
  if (!cached_) return;
  cache_ = preset_cache(preset);
  validate(cache_);
}

SimulatedGpu::Tally SimulatedGpu::run(const Pattern& pattern) const {
  const std::uint32_t bytes = cached_ ? cache_.transaction_bytes() : 32;
  const std::vector<std::uint32_t> round = addresses(pattern);
  std::vector<Transaction> transactions;
  const auto pass = [&](AccessKind kind) {
    for (const std::uint32_t address : round)
      transactions.emplace_back(LineAddr((kBase + address) / bytes), OriginId(0), kind, false, true);
  };
  std::size_t early = 0;  // transactions whose loads are not of the last passes
  for (std::uint32_t number = 0; number < pattern.rounds; ++number) {
    const PatternKind kind = pattern.kind;
    if (kind == PatternKind::LoadStoreLoad) pass(AccessKind::Load);
    if (kind != PatternKind::Chase) pass(AccessKind::Store);
    if (kind == PatternKind::StoreStore) pass(AccessKind::Store);
    if (number == 0 && (kind == PatternKind::LoadStoreLoad || pattern.rounds > 1))
      early = transactions.size();
    if (kind == PatternKind::StoreLoad || kind == PatternKind::LoadStoreLoad) pass(AccessKind::Load);
    if (kind == PatternKind::Chase) pass(AccessKind::Load);
    if (kind == PatternKind::Chase && number == 0 && pattern.rounds > 1) early = transactions.size();
  }
  std::vector<std::uint8_t> events(transactions.size(), pack(Event::Bypass, Victim::None));
  if (cached_) {
    std::vector<LineAddr> lines;
    lines.reserve(transactions.size());
    for (const Transaction transaction : transactions)
      lines.emplace_back(transaction.line().value() >> cache_.sector_shift());
    std::vector<std::uint32_t> sets(transactions.size());
    set_index(cache_.set_index).function(lines, cache_.sets(), sets.data());
    std::vector<PackedSetCounts> set_counts(cache_.sets());
    const auto cache = make_l1_cache({cache_, seed_for(cache_.seed, 0)});
    cache->process({transactions, sets.data(), set_counts.data(), events.data(), nullptr});
  }
  Tally tally;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Event event = event_of(events[i]);
    const bool missed = event != Event::Hit && event != Event::RemovingHit;
    const std::size_t kind = transactions[i].is_store() ? 1 : 0;
    ++tally.count[kind];
    tally.misses[kind] += missed ? 1 : 0;
    if (kind == 1 || i < early) continue;
    ++tally.late_loads;
    tally.late_misses += missed ? 1 : 0;
  }
  return tally;
}

Observation SimulatedGpu::measure(const Pattern& pattern) const {
  const Tally tally = run(pattern);
  // Noise depends on what is measured, not on when.
  SplitMix64 random(seed_for(options_.seed, (pattern.places << 32) ^ (std::uint64_t{pattern.mask} << 8) ^
                                                pattern.step ^ (pattern.hot << 20) ^
                                                static_cast<std::uint64_t>(pattern.kind)));
  const auto noise = [&] {
    const double uniform = static_cast<double>(random.next() >> 11) * 0x1p-53;
    return (2 * uniform - 1) * options_.noise_per_mille / 1000;
  };
  Observation result;
  result.pattern = pattern;
  if (options_.timings) {
    if (tally.late_loads == 0) return result;
    const double missed = static_cast<double>(tally.late_misses) / static_cast<double>(tally.late_loads);
    result.cycles = (hit_cycles_ + missed * (miss_cycles_ - hit_cycles_)) * (1 + noise());
    return result;
  }
  const auto counted = [&](std::size_t kind) {
    const auto all = static_cast<double>(tally.count[kind]);
    const double misses = static_cast<double>(tally.misses[kind]) + std::round(noise() * all);
    return std::clamp(misses, 0.0, all);
  };
  if (tally.count[0] != 0) {
    result.loads = static_cast<double>(tally.count[0]);
    result.load_misses = counted(0);
  }
  if (tally.count[1] != 0) {
    result.stores = static_cast<double>(tally.count[1]);
    result.store_misses = counted(1);
  }
  return result;
}

}  // namespace warpscope::infer
