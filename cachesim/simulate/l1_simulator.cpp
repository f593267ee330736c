#include "cachesim/simulate/l1_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "cachesim/classes/miss_classifier.h"
#include "cachesim/classes/reuse_by_source.h"
#include "cachesim/classes/sector_classifier.h"
#include "cachesim/counters/kernel_numbers.h"
#include "cachesim/l1/core_seed.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::size_t kBatch = 1024;              // its working arrays stay in the host's first-level cache
constexpr std::uint64_t kUnpackAfter = 1u << 20;  // look-ups; far below what a packed counter holds
constexpr std::uint32_t kMaxCores = 1u << 16;

void require(bool law, const std::string& what) {
  if (!law) throw std::logic_error("self-check: " + what);
}

}  // namespace

/// Of one batch.
struct L1Simulator::Scratch {
  std::array<LineAddr, kBatch> lines;
  std::array<std::uint32_t, kBatch> sets;
  std::array<std::uint8_t, kBatch> events;
  std::array<std::uint64_t, kBatch> victims;
};

struct L1Simulator::Core {
  /// `capacity`: where bins of reuse distances are cut, for all cores and launches.
  Core(CoreId number, const SimulationOptions& options, const TransactionHeader& header, std::uint64_t seed,
       std::uint64_t capacity)
      : id(number), histogram(capacity) {
    build(options, header, seed);
    if (options.reuse_histogram) reuse.emplace();
  }
  /// An empty cache, and what classifies its misses. `seed` is the launch's.
  void build(const SimulationOptions& options, const TransactionHeader& header, std::uint64_t seed) {
    if (sets.size() < options.cache.sets()) {  // the caches of two launches may differ (reshape())
      packed_sets.resize(options.cache.sets());
      sets.resize(options.cache.sets());
    }
    cache = make_l1_cache({options.cache, seed_for(seed, id.value()), header.line_limit, options.by_source,
                           header.private_from});
    if (options.by_source) by_source.emplace(options.cache.sector_shift());
    if (!options.classes) return;
    const WriteRules write(options.cache, header.private_from);
    if (options.cache.sector_shift() == 0)
      classifier.emplace(options.cache.lines(), write);
    else
      sector_classifier.emplace(options.cache, write);
  }
  void unpack_sets() {
    for (std::size_t set = 0; set < sets.size(); ++set) packed_sets[set].move_to(sets[set]);
    packed = 0;
  }
  CoreId id;
  std::unique_ptr<L1Cache> cache;
  std::optional<MissClassifier> classifier;
  std::optional<SectorClassifier> sector_classifier;
  std::optional<ReuseDistance> reuse;
  std::optional<ReuseBySource> by_source;
  std::vector<SourceCounts> source_counts;                      ///< this launch's, indexed by origin
  std::vector<std::unique_ptr<ReuseHistogram>> site_histogram;  ///< this launch's, indexed by origin
  std::vector<PackedSetCounts> packed_sets;
  std::uint64_t packed = 0;  ///< look-ups that packed_sets may hold
  std::vector<SetCounts> sets;
  ReuseHistogram histogram;
  std::vector<EventCounts> events;          ///< this launch's, indexed by origin
  std::vector<std::uint64_t> sectors_back;  ///< dirty sectors driven out, of this launch, by origin
  std::vector<OriginTally> tallies;         ///< this launch's, indexed by origin
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      degrees;                            ///< passes of local memory of this launch, by origin and degree
  std::array<std::uint64_t, 3> pushed{};  ///< self-check: transactions of this launch by kind
  bool used = false;                      ///< whether this launch used it
};

L1Simulator::L1Simulator(const SimulationOptions& options)
    : options_(options), seed_(options.cache.seed), scratch_(std::make_unique<Scratch>()) {
  validate(options.cache);
  set_index_ = warpscope::set_index(options.cache.set_index).function;
  result_.sets.resize(options.cache.sets());
  result_.reuse = ReuseHistogram(options.cache.lines());
}

L1Simulator::~L1Simulator() = default;

void L1Simulator::begin(const TransactionHeader& header) {
  if (header.transaction_bytes != options_.cache.transaction_bytes())
    throw InputError(
        fmt::format("cache {}: {} bytes, but the transactions were coalesced for {}; expected the same, "
                    "coalesce the stream again",
                    options_.cache.sector_bytes != 0 ? "sector" : "line", options_.cache.transaction_bytes(),
                    header.transaction_bytes));
  header_ = header;
  for (const BufferInfo& buffer : header_.stream.buffers) {
    if (buffer.id.value() >= is_private_.size()) is_private_.resize(buffer.id.value() + 1);
    is_private_[buffer.id.value()] = buffer.space == AddressSpace::Private;
  }
  KernelNumbers numbers = number_kernels(header_.stream.launches);
  result_.kernels = std::move(numbers.first);
  kernel_of_launch_ = std::move(numbers.of_launch);
}

void L1Simulator::begin_launch(LaunchId launch) {
  if (launch_open_) close_launch();
  const auto& launches = header_.stream.launches;
  const std::size_t position = launches.position_of(launch);
  if (position == launches.size() && !launches.empty())
    throw InputError(
        fmt::format("launch {} is not in the stream's header, expected one of its launches", launch.value()));
  launch_ = position;
  launch_open_ = true;
  if (!options_.keep_l1) reseed(seed_in_launch(options_.cache.seed, launch));
  if (options_.cache_of && position < launches.size()) reshape(options_.cache_of(launches[position]));
}

void L1Simulator::reseed(std::uint64_t seed) {
  seed_ = seed;
  for (const auto& core : cores_)
    if (core) core->cache->reseed(seed_for(seed, core->id.value()));
}

void L1Simulator::reshape(const CacheConfig& config) {
  if (config.size_kib == options_.cache.size_kib && config.ways == options_.cache.ways &&
      config.tag_sets == options_.cache.tag_sets)
    return;
  options_.cache.size_kib = config.size_kib;
  options_.cache.ways = config.ways;
  options_.cache.tag_sets = config.tag_sets;
  validate(options_.cache);
  for (const auto& core : cores_)
    if (core) core->build(options_, header_, seed_);
}

void L1Simulator::add_origins(std::span<const Origin> added) {
  origins_.insert(origins_.end(), added.begin(), added.end());
}

L1Simulator::Core& L1Simulator::core(CoreId id) {
  if (id.value() >= kMaxCores)
    throw InputError(fmt::format("core {} in the stream, expected a number below {}", id.value(), kMaxCores));
  if (id.value() >= cores_.size()) cores_.resize(id.value() + 1);
  auto& core = cores_[id.value()];
  if (!core) core = std::make_unique<Core>(id, options_, header_, seed_, result_.reuse.capacity());
  core->used = true;
  if (core->events.size() < origins_.size()) {
    core->events.resize(origins_.size());
    core->tallies.resize(origins_.size());
    core->sectors_back.resize(origins_.size());
    if (options_.by_source) core->source_counts.resize(origins_.size());
  }
  return *core;
}

void L1Simulator::block(const TransactionBlock& block) {
  launch_open_ = true;
  Core& here = core(block.core);
  for (const OriginTally& tally : block.tallies) {
    if (tally.origin.value() >= origins_.size())
      throw InputError(fmt::format("origin {} in the stream, expected a number below {}",
                                   tally.origin.value(), origins_.size()));
    here.tallies[tally.origin.value()] += tally;
  }
  for (const DegreeTally& tally : block.degrees) {
    if (tally.origin.value() >= origins_.size())
      throw InputError(fmt::format("origin {} in the stream, expected a number below {}",
                                   tally.origin.value(), origins_.size()));
    here.degrees[{tally.origin.value(), tally.degree}] += tally.passes;
  }
  if (options_.by_source && block.accessors.size() != block.transactions.size())
    throw InputError(
        "reuse by previous accessor: these transactions do not say which lanes made them, expected a capture "
        "or a stream "
        "of warpsched");
  for (std::size_t at = 0; at < block.transactions.size(); at += kBatch) {
    const std::size_t count = std::min(kBatch, block.transactions.size() - at);
    process(here, block.transactions.subspan(at, count),
            options_.by_source ? block.accessors.subspan(at, count) : block.accessors);
  }
}

/// The line numbers of a batch, and whether it has only loads; refuses what the caches' tables have no room for.
bool L1Simulator::lines_of(std::span<const Transaction> transactions, LineAddr* lines) const {
  const std::uint64_t last_line = header_.line_limit - 1, last_origin = std::uint64_t{origins_.size()} - 1;
  std::uint64_t below_zero = 0,  // the top bit: whether any difference was negative
      bits = 0;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    lines[i] = transactions[i].line();
    bits |= transactions[i].bits();
    below_zero |= (last_line - lines[i].value()) | (last_origin - transactions[i].origin().value());
  }
  if (below_zero >> 63 == 0) return (bits & Transaction::kStoreOrBypass) == 0;
  for (const Transaction transaction : transactions) {
    if (transaction.line().value() > last_line)
      throw InputError(fmt::format("line {} in the stream, expected numbers up to its limit of {}",
                                   transaction.line().value(), last_line));
    if (transaction.origin().value() > last_origin || origins_.empty())
      throw InputError(fmt::format("origin {} in the stream, expected a number below {}",
                                   transaction.origin().value(), origins_.size()));
  }
  return false;
}

void L1Simulator::process(Core& core, std::span<const Transaction> transactions,
                          std::span<const Accessor> accessors) {
  LineAddr* const lines = scratch_->lines.data();
  const bool only_loads = lines_of(transactions, lines);
  if (const int shift = options_.cache.sector_shift(); shift != 0)
    for (std::size_t i = 0; i < transactions.size(); ++i) lines[i] = LineAddr(lines[i].value() >> shift);
  set_index_({lines, transactions.size()}, options_.cache.sets(), scratch_->sets.data());
  if (core.packed > kUnpackAfter) core.unpack_sets();
  core.packed += transactions.size();
  const CacheBatch batch{transactions,
                         scratch_->sets.data(),
                         core.packed_sets.data(),
                         options_.classes || options_.by_source ? scratch_->events.data() : nullptr,
                         core.events.data(),
                         options_.by_source ? scratch_->victims.data() : nullptr,
                         core.sectors_back.data(),
                         only_loads};
  core.cache->process(batch);
  if (core.by_source) classify_by_source(core, batch, accessors);
  if (core.classifier) core.classifier->process(batch);
  if (core.sector_classifier) core.sector_classifier->process(batch);
  if (core.reuse) measure_reuse(core, transactions);
  if (options_.self_check)
    for (const Transaction transaction : transactions)
      ++core.pushed[static_cast<std::size_t>(transaction.kind())];
}

void L1Simulator::classify_by_source(Core& core, const CacheBatch& batch,
                                     std::span<const Accessor> accessors) {
  core.by_source->process(batch, accessors, core.source_counts);
  if (options_.classes) return;
  for (std::size_t i = 0; i < batch.transactions.size(); ++i)  // otherwise the classifiers count
    count_event(batch.counts, batch.transactions[i], batch.events[i]);
}

void L1Simulator::measure_reuse(Core& core, std::span<const Transaction> transactions) {
  core.site_histogram.resize(origins_.size());
  const int shift = options_.cache.sector_shift();
  std::array<LineAddr, kBatch>& lines = scratch_->lines;
  std::array<std::uint64_t, kBatch> distances;
  std::size_t touches = 0;
  for (const Transaction transaction : transactions)
    if (!transaction.bypasses()) lines[touches++] = LineAddr(transaction.line().value() >> shift);
  core.reuse->touch({lines.data(), touches}, distances);
  const std::uint64_t* distance = distances.data();
  for (const Transaction transaction : transactions) {
    if (transaction.bypasses()) continue;
    core.histogram.add(*distance, transaction.is_store());
    auto& histogram = core.site_histogram[transaction.origin().value()];
    if (!histogram) histogram = std::make_unique<ReuseHistogram>(core.histogram.capacity());
    histogram->add(*distance++, transaction.is_store());
  }
}

void L1Simulator::add_site_histograms(Core& core, std::size_t kernel) {
  for (std::size_t i = 0; i < core.site_histogram.size(); ++i) {
    if (!core.site_histogram[i]) continue;
    const SiteKey site{kernel, origins_[i].site, origins_[i].kind};
    result_.site_reuse.try_emplace(site, core.site_histogram[i]->capacity()).first->second +=
        *core.site_histogram[i];
  }
  core.site_histogram.clear();
}

/// Whether such an access brings in a line that is not there.
bool L1Simulator::allocates(AccessKind kind, BufferId buffer) const {
  if (kind == AccessKind::Load) return true;
  const CacheConfig& cache = options_.cache;
  return write_policy(in_private(buffer) ? cache.private_writes() : cache.write_policy).store_miss_allocates;
}

void L1Simulator::close_launch() {
  const CoalescingRule* rule = header_.stages ? &coalescing_rule(header_.coalescing) : nullptr;
  const std::size_t kernel = kernel_of_launch_.empty() ? 0 : kernel_of_launch_[launch_];
  Counts of_launch;
  for (auto& core : cores_) {
    if (!core || !core->used) continue;
    Counts of_core;
    for (std::size_t i = 0; i < core->events.size(); ++i) {
      const Origin& origin = origins_[i];
      Counts counts = counts_of(origin, core->events[i], core->tallies[i], in_private(origin.buffer), rule,
                                header_.transaction_bytes);
      counts.write_back_sectors =
          options_.cache.sector_shift() == 0 ? counts.write_backs : core->sectors_back[i];
      const KindCounts& kind = counts.of(origin.kind);
      if (allocates(origin.kind, origin.buffer)) counts.classified = kind.transactions - kind.bypasses;
      if (options_.by_source) counts.by_source = core->source_counts[i];
      for (auto it = core->degrees.lower_bound({static_cast<std::uint32_t>(i), 0});
           it != core->degrees.end() && it->first.first == i; ++it)
        counts.degrees[it->first.second] += it->second;
      of_core += counts;
      result_.sites[{SiteKey{kernel, origin.site, origin.kind}, origin.buffer}] += counts;
    }
    add_site_histograms(*core, kernel);
    if (options_.self_check)
      for (std::size_t kind = 0; kind < of_core.kind.size(); ++kind)
        require(of_core.kind[kind].transactions == core->pushed[kind], "transactions counted twice or lost");
    core->pushed = {};
    result_.cores[core->id] += of_core;
    of_launch += of_core;
    core->events.clear();
    core->tallies.clear();
    core->sectors_back.clear();
    core->source_counts.clear();
    core->degrees.clear();
    core->used = false;
    if (core->by_source) core->by_source->next_launch();
    if (options_.keep_l1) continue;
    core->cache->invalidate();
    if (core->classifier) core->classifier->reset();
    if (core->sector_classifier) core->sector_classifier->reset();
    if (core->reuse) core->reuse->clear();
    if (core->by_source) core->by_source->clear();
  }
  result_.all_launches += of_launch;
  result_.launches.add(launch_, {options_.cache.size_kib, of_launch, {}}, options_.cache.size_kib);
  origins_.clear();
  launch_open_ = false;
}

void L1Simulator::end() {
  if (launch_open_) close_launch();
  const std::size_t launches = std::max<std::size_t>(1, header_.stream.launches.size());
  result_.launches.fill(launches, options_.cache.size_kib);
  for (const auto& core : cores_) {
    if (!core) continue;
    core->unpack_sets();
    result_.sets.resize(std::max(result_.sets.size(), core->sets.size()));
    for (std::size_t set = 0; set < core->sets.size(); ++set) {
      result_.sets[set].transactions += core->sets[set].transactions;
      result_.sets[set].misses += core->sets[set].misses;
    }
    result_.reuse += core->histogram;
  }
  check_tallies();
  if (options_.self_check) check_laws();
}

/// Lanes are counted by whoever made the stream; of a damaged one they contradict its transactions.
void L1Simulator::check_tallies() const {
  const Counts total = result_.total();
  for (std::size_t i = 0; i < total.kind.size(); ++i)
    if (total.kind[i].requests > total.kind[i].lanes)
      throw InputError(
          fmt::format("{} requests and {} lanes of kind {} in the stream, expected at least a "
                      "lane for each request; make the stream again",
                      total.kind[i].requests, total.kind[i].lanes, name_of(static_cast<AccessKind>(i))));
}

void L1Simulator::check_laws() const {
  const Counts total = result_.total();
  Counts cores, sites, launches;
  for (std::size_t i = 0; i < result_.launches.size(); ++i) launches += result_.launches[i];
  for (const auto& [core, counts] : result_.cores) cores += counts;
  for (const auto& [site, counts] : result_.sites) sites += counts;
  require(total == launches && total == cores && total == sites,
          "launches, cores and sites do not add up to the same");
  std::uint64_t looked_up = 0, misses = 0, may_allocate = 0, in_sets = 0, misses_in_sets = 0;
  for (const auto& [key, counts] : result_.sites) {
    const KindCounts& kind = counts.of(key.first.kind);
    if (allocates(key.first.kind, key.second)) may_allocate += kind.misses + kind.sector_misses;
  }
  for (std::size_t i = 0; i < total.kind.size(); ++i) {
    const KindCounts& kind = total.kind[i];
    const std::uint64_t known = kind.hits + kind.hits_pending + kind.sector_misses + kind.misses;
    require(known + kind.bypasses == kind.transactions, "outcomes do not add up to the transactions");
    require(kind.requests <= kind.transactions, "more requests than transactions");
    looked_up += known;
    if (options_.by_source) {
      const auto& by = total.by_source.hits[i];
      require(std::accumulate(by.begin(), by.end(), std::uint64_t{0}) == kind.hits,
              "hits by previous accessor do not add up to the hits");
    }
    misses += kind.misses + kind.sector_misses;
  }
  const MissClasses& classes = total.classes;
  require(classes.cold + classes.invalidated + classes.capacity + classes.conflict + total.unclassified ==
              may_allocate,
          "miss classes do not add up to the misses that would allocate");
  require(classes.invalidated == 0 || WriteRules(options_.cache, header_.private_from).any_removes(),
          "invalidated lines without a store that removes lines");
  for (const SetCounts& set : result_.sets) {
    in_sets += set.transactions;
    misses_in_sets += set.misses;
  }
  if (options_.by_source) {
    const auto& by = total.by_source.evictions;
    require(std::accumulate(by.begin(), by.end(), std::uint64_t{0}) == total.evictions,
            "evictions by previous accessor do not add up to the evictions");
  }
  require(total.write_backs <= total.write_back_sectors &&
              total.write_back_sectors <= total.write_backs << options_.cache.sector_shift(),
          "lines written back without a sector, or with more than they have");
  require(in_sets == looked_up && misses_in_sets == misses, "sets do not add up to the look-ups");
}

SimulationResult& SimulationResult::operator+=(const SimulationResult& other) {
  launches.join(other.launches);
  all_launches += other.all_launches;
  for (const auto& [core, counts] : other.cores) cores[core] += counts;
  for (const auto& [site, counts] : other.sites) sites[site] += counts;
  sets.resize(std::max(sets.size(), other.sets.size()));
  for (std::size_t set = 0; set < other.sets.size(); ++set) {
    sets[set].transactions += other.sets[set].transactions;
    sets[set].misses += other.sets[set].misses;
  }
  reuse += other.reuse;
  for (const auto& [site, histogram] : other.site_reuse)
    site_reuse.try_emplace(site, histogram.capacity()).first->second += histogram;
  return *this;
}

}  // namespace warpscope
