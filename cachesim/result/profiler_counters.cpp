#include "cachesim/result/profiler_counters.h"

#include <algorithm>

#include "cachesim/access/counters.h"
#include "traces/base/json_fields.h"
#include "traces/base/parse_number.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLoad = 0, kStore = 1;
constexpr std::uint32_t kLineBytes = 128;  // that profilers before Maxwell count

/// What is in both and not in private memory.
OutcomeCounts without(OutcomeCounts all, const OutcomeCounts& part) {
  each_outcome_counter([](const char*, std::uint64_t& sum, std::uint64_t less) { sum -= less; }, all, part);
  return all;
}

std::uint64_t hits_of(const OutcomeCounts& counts) {
  return counts.hits + counts.hits_pending;
}
std::uint64_t misses_of(const OutcomeCounts& counts) {
  return counts.misses + counts.sector_misses;
}
std::uint64_t looked_up(const OutcomeCounts& counts) {
  return counts.transactions - counts.bypasses;
}

/// Of stores under a policy those that go to the L2 at once.
std::uint64_t written_at_once(const OutcomeCounts& stores, const std::string& policy_name) {
  const WritePolicy& policy = write_policy(policy_name);
  if (!policy.writes_back) return stores.transactions;
  return policy.store_miss_allocates ? stores.bypasses : stores.transactions - hits_of(stores);
}

/// The expressions of cachesim/access/profiler.def.
struct View {
  using Count = std::optional<std::uint64_t>;

  View(const ProfiledCounts& from, const GpuPreset& preset)
      : profiled(from),
        gpu(preset),
        private_load(from.counts.in_private[kLoad]),
        private_store(from.counts.in_private[kStore]),
        global_load(without(from.counts.kind[kLoad], private_load)),
        global_store(without(from.counts.kind[kStore], private_store)),
        atomic(from.counts.of(AccessKind::Atomic)),
        local_load(from.counts.outside[0][kLoad]),
        local_store(from.counts.outside[0][kStore]) {}

  [[nodiscard]] Count in_sectors(Count transactions) const {
    return profiled.cache.transaction_bytes() == kMemorySectorBytes ? transactions : std::nullopt;
  }
  [[nodiscard]] Count in_lines(Count transactions) const {
    return profiled.cache.transaction_bytes() == kLineBytes ? transactions : std::nullopt;
  }
  [[nodiscard]] Count in_banks(std::uint64_t number) const {
    return profiled.banks ? Count(number) : std::nullopt;
  }
  static Count count(std::uint64_t number) { return number; }
  static std::optional<double> ratio(Count part, std::uint64_t whole) {
    if (!part || whole == 0) return {};
    return static_cast<double>(*part) / static_cast<double>(whole);
  }
  static std::optional<double> percent(Count part, std::uint64_t whole) {
    const auto of_one = ratio(part, whole);
    return of_one ? std::optional(100 * *of_one) : std::nullopt;
  }

  /// Not known without a cache.
  template <class... Counts>
  [[nodiscard]] Count hits(const Counts&... counts) const {
    return profiled.has_cache ? Count((... + hits_of(counts))) : std::nullopt;
  }
  [[nodiscard]] Count misses(const OutcomeCounts& counts) const {
    return profiled.has_cache ? Count(misses_of(counts)) : std::nullopt;
  }
  [[nodiscard]] Count all_hits() const {
    return hits(profiled.counts.kind[kLoad], profiled.counts.kind[kStore]);
  }
  [[nodiscard]] std::uint64_t all_transactions() const {
    return profiled.counts.kind[kLoad].transactions + profiled.counts.kind[kStore].transactions +
           atomic.transactions;
  }
  [[nodiscard]] Count read_sectors() const {
    if (!profiled.has_cache) return {};
    return l1_to_l2_read_sectors(profiled.counts, profiled.cache, profiled.stages);
  }
  [[nodiscard]] Count written_sectors() const {
    if (!profiled.has_cache) return {};
    return written_at_once(global_store, profiled.cache.write_policy) +
           written_at_once(private_store, profiled.cache.private_writes()) +
           profiled.counts.write_back_sectors;
  }
  /// nvprof's transactions of loads on Maxwell and Pascal, whether they are looked up or bypass the L1 (cachesim/access/rules/maxwell.cpp).
  [[nodiscard]] Count of_loads(std::uint64_t StageCounts::*part) const {
    if (!profiled.stages || private_load.requests != 0) return {};
    return in_sectors(profiled.counts.of(AccessKind::Load).stages.*part);
  }
  /// What the unified cache reads, less what it fetches, which loads that bypass it do, too.
  [[nodiscard]] std::optional<double> unified_hit_percent() const {
    const Count reads = of_loads(&StageCounts::cache_reads);
    const std::uint64_t fetched = misses_of(global_load) + global_load.bypasses;
    if (!profiled.has_cache || !reads || *reads < fetched) return {};
    return percent(*reads - fetched, *reads);
  }
  /// The same of stores; not known where those of private memory are among them.
  [[nodiscard]] Count of_stores(std::uint64_t StageCounts::*part) const {
    if (!profiled.stages || private_store.transactions != 0) return {};
    return in_sectors(profiled.counts.of(AccessKind::Store).stages.*part);
  }
  /// Words that accesses of private memory have of each lane; not known of older streams, which do not have them.
  [[nodiscard]] Count words_of_private(AccessKind kind) const {
    const std::uint64_t words = profiled.counts.of(kind).private_words;
    const OutcomeCounts& accesses = kind == AccessKind::Load ? private_load : private_store;
    return words < accesses.requests ? std::nullopt : Count(words);
  }
  [[nodiscard]] std::optional<double> theoretical_percent() const {
    if (!profiled.warps || !gpu.max_warps_per_core) return {};
    return percent(std::min(*profiled.warps, *gpu.max_warps_per_core), *gpu.max_warps_per_core);
  }
  /// A count of machine code's instructions.
  [[nodiscard]] Count executed(const char* name) const {
    return profiled.executed.contains(name) ? Count(profiled.executed.at(name).get<std::uint64_t>())
                                            : std::nullopt;
  }
  /// A count of timed mode.
  [[nodiscard]] Count timed(const char* key) const {
    return profiled.timing != nullptr ? Count(profiled.timing->at(key).get<std::uint64_t>()) : std::nullopt;
  }
  /// Resident warps over the most there can be, times `whole`.
  [[nodiscard]] std::optional<double> achieved(double whole) const {
    if (profiled.timing == nullptr || !gpu.max_warps_per_core) return {};
    const auto active = profiled.timing->at("active_cycles").get<std::uint64_t>();
    const auto share = ratio(profiled.timing->at("resident_warp_cycles").get<std::uint64_t>(),
                             active * *gpu.max_warps_per_core);
    return share ? std::optional(whole * *share) : std::nullopt;
  }

  const ProfiledCounts& profiled;
  const GpuPreset& gpu;
  OutcomeCounts private_load, private_store, global_load, global_store, atomic;
  OutsideCounts local_load, local_store;
};

template <class Value>
void put(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

struct Tables : View {
  using View::View;
  [[nodiscard]] Json ncu() const {
    Json json = Json::object();
#define NCU(name, unit, value, meaning) put(json, name, value);
#include "cachesim/access/profiler.def"
    return json;
  }
  [[nodiscard]] Json nvprof(std::uint64_t capability) const {
    Json json = Json::object();
#define NVPROF(first, last, name, unit, value, meaning) \
  if ((first) <= capability && capability <= (last)) put(json, name, value);
#include "cachesim/access/profiler.def"
    return json;
  }
};

/// Times ten: 86 for 8.6; absent where the preset has none.
std::optional<std::uint64_t> capability_of(const std::optional<GpuPreset>& gpu) {
  if (!gpu || !gpu->compute_capability) return {};
  std::string digits = *gpu->compute_capability;
  std::erase(digits, '.');
  return parse_number(digits, 10, 999);
}

constexpr std::uint64_t kNcuFrom = 70, kNvprofFrom = 20, kNvprofTo = 72;

}  // namespace

ExecutedCounters::ExecutedCounters(const StreamHeader& header) {
  if (!header.context.is_object()) return;
  const auto list = header.context.find("executed");
  if (list == header.context.end()) return;
  JsonFields(header.context, "context")
      .each("executed", [&](const nlohmann::json& entry, const std::string& where) {
        const JsonFields fields(entry, where);
        const nlohmann::json* const counters = fields.find("counters");
        if (counters == nullptr || !counters->is_object()) fields.fail("counters", "an object");
        for (const nlohmann::json& value : *counters)
          json_number(value, where, std::numeric_limits<std::uint64_t>::max());
        of_launch_[fields.number("launch")] = *counters;
      });
}

nlohmann::json ExecutedCounters::of(const LaunchInfo& launch) const {
  const auto found = of_launch_.find(launch.id.value());
  return found != of_launch_.end() ? found->second : nlohmann::json();
}

nlohmann::json ExecutedCounters::of_all(const LaunchList& launches) const {
  if (of_launch_.empty()) return {};
  nlohmann::json sum = nlohmann::json::object();
  for (const LaunchInfo& launch : launches) {
    const auto found = of_launch_.find(launch.id.value());
    if (found == of_launch_.end()) return {};
    for (const auto& [name, value] : found->second.items())
      sum[name] = sum.value(name, std::uint64_t{0}) + value.get<std::uint64_t>();
  }
  return sum;
}

std::optional<std::uint64_t> l1_to_l2_read_sectors(const Counts& counts, const CacheConfig& cache,
                                                   bool stages) {
  const KindCounts& load = counts.of(AccessKind::Load);
  const std::uint64_t bytes = cache.transaction_bytes();
  const std::uint64_t missed = misses_of(load) * bytes / kMemorySectorBytes;
  if (load.bypasses == 0 || bytes == kMemorySectorBytes) return missed + load.bypasses;
  if (!stages) return {};
  return missed + (load.stages.bytes - looked_up(load) * bytes) / kMemorySectorBytes;
}

Json profiler_json(const ProfiledCounts& profiled, const std::optional<GpuPreset>& gpu) {
  const auto capability = capability_of(gpu);
  if (!capability) return nullptr;
  Json json = Json::object();
  const Tables tables(profiled, *gpu);
  if (*capability >= kNcuFrom) json["ncu"] = tables.ncu();
  if (kNvprofFrom <= *capability && *capability <= kNvprofTo) json["nvprof"] = tables.nvprof(*capability);
  return json;
}

ResidentWarps::ResidentWarps(const StreamHeader& header) : warp_size_(header.warp_size) {
  const nlohmann::json& schedule = header.context;
  if (!schedule.is_object()) return;
  if (const auto limit = schedule.find("max_work_groups");
      limit != schedule.end() && limit->is_number_unsigned())
    work_groups_ = limit->get<std::uint32_t>();
  if (const auto found = schedule.find("residency"); found != schedule.end() && found->is_array())
    for (const nlohmann::json& alike : *found)
      if (alike.is_object() && alike.value("launches", Json()).is_string() &&
          alike.value("work_groups", Json()).is_number_unsigned())
        for (const auto& [first, last] : parse_number_ranges(alike.at("launches"), "residency"))
          alike_.push_back({first, last, alike.at("work_groups").get<std::uint32_t>()});
  std::sort(alike_.begin(), alike_.end(), [](const Alike& a, const Alike& b) { return a.first < b.first; });
}

std::optional<std::uint32_t> ResidentWarps::of(const LaunchInfo& launch) const {
  const std::uint64_t number = launch.id.value();
  const auto after = std::upper_bound(alike_.begin(), alike_.end(), number,
                                      [](std::uint64_t n, const Alike& alike) { return n < alike.first; });
  const bool listed = after != alike_.begin() && number <= std::prev(after)->last;
  const std::uint32_t groups = listed ? std::prev(after)->work_groups : work_groups_.value_or(0);
  if (groups == 0) return {};
  return static_cast<std::uint32_t>(groups * ((launch.local.count() + warp_size_ - 1) / warp_size_));
}

std::optional<std::uint32_t> ResidentWarps::of_all(const LaunchList& launches) const {
  std::optional<std::uint32_t> all;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto one = of(launches[i]);
    if (!one || (all && *all != *one)) return {};
    all = one;
  }
  return all;
}

}  // namespace warpscope
