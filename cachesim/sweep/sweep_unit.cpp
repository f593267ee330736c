#include "cachesim/sweep/sweep_unit.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "cachesim/classes/miss_classifier.h"
#include "cachesim/classes/sector_classifier.h"
#include "cachesim/l1/core_seed.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/sweep/lru_stack.h"
#include "cachesim/sweep/sectored_stack.h"

namespace warpscope {
namespace {

constexpr std::size_t kSweepBatch = 1024;  // set numbers of a batch stay in the host's first-level cache

/// What a stack asks of LastUses.
SweepLists lists_of(std::uint32_t sets, std::uint32_t ways, int sector_shift) {
  return {SetLists::has_horizon(ways) ? std::uint64_t{sets} * ways : 0, sector_shift};
}

const std::uint32_t* last_uses(const SweepReferences& references, std::size_t at) {
  return references.last_uses.empty() ? nullptr : &references.last_uses[at];
}

class StackUnit final : public SweepUnit {
 public:
  explicit StackUnit(const CacheConfig& config)
      : index_(set_index(config.set_index).function),
        sets_(config.sets()),
        write_(write_policy(config.write_policy)) {}
  void add_cell(std::size_t cell, std::uint32_t ways) {
    cells_.push_back(cell);
    ways_ = std::max(ways_, ways);
  }

  [[nodiscard]] std::unique_ptr<SweepState> make_state(CoreId /*core*/,
                                                       const TransactionHeader& /*header*/) const override {
    return std::make_unique<State>(*this);
  }

  void collect(std::span<const std::unique_ptr<SweepState>> states,
               std::span<SweepCell> cells) const override {
    std::unique_ptr<StackCounts> sum;
    for (const auto& state : states) {
      if (!state) continue;
      const StackCounts& counts = static_cast<const State&>(*state).counts();
      sum ? * sum += counts : *(sum = std::make_unique<StackCounts>(counts));
    }
    if (!sum) return;
    for (const std::size_t cell : cells_) cells[cell].counts = sum->of_ways(cells[cell].config.ways, write_);
  }

  [[nodiscard]] std::uint64_t bytes_per_core() const override {
    return LruStack::bytes(sets_, ways_, write_);
  }
  [[nodiscard]] bool needs_transactions() const override { return false; }
  [[nodiscard]] SweepLists lists() const override {
    SweepLists lists = lists_of(sets_, ways_, 0);
    if (LruStack::can_have_logs(ways_, write_)) lists.log_bytes = SetLogs::bytes(sets_);
    return lists;
  }

 private:
  class State final : public SweepState {
   public:
    explicit State(const StackUnit& unit) : unit_(unit), stack_(unit.sets_, unit.ways_, unit.write_) {}
    void process(const SweepReferences& references) override {
      std::array<std::uint32_t, kSweepBatch> sets, tags;
      for (std::size_t at = 0; at < references.lines.size(); at += kSweepBatch) {
        const std::size_t count = std::min(kSweepBatch, references.lines.size() - at);
        unit_.index_(references.lines.subspan(at, count), unit_.sets_, sets.data());
        for (std::size_t i = 0; i < count; ++i) tags[i] = references.numbers[at + i] + 1;
        stack_.process({tags.data(), sets.data(), &references.kinds[at], count, last_uses(references, at),
                        references.first + at});
      }
    }
    void invalidate() override { stack_.invalidate(); }
    [[nodiscard]] std::uint64_t vain_levels() const override {
      const bool logs = LruStack::can_have_logs(unit_.ways_, unit_.write_);
      return logs ? stack_.counts().levels() : stack_.counts().nowhere() * unit_.ways_;
    }
    [[nodiscard]] const StackCounts& counts() const { return stack_.counts(); }

   private:
    const StackUnit& unit_;
    LruStack stack_;
  };

  SetIndexFunction index_;
  std::uint32_t sets_, ways_ = 0;
  WritePolicy write_;
  std::vector<std::size_t> cells_;
};

class SectoredUnit final : public SweepUnit {
 public:
  explicit SectoredUnit(const CacheConfig& config)
      : index_(set_index(config.set_index).function),
        sets_(config.sets()),
        shift_(config.sector_shift()),
        write_(write_policy(config.write_policy)) {}
  void add_cell(std::size_t cell, std::uint32_t ways) {
    cells_.push_back(cell);
    const auto at = std::lower_bound(ways_.begin(), ways_.end(), ways);
    if (at == ways_.end() || *at != ways) ways_.insert(at, ways);
  }

  [[nodiscard]] std::unique_ptr<SweepState> make_state(CoreId /*core*/,
                                                       const TransactionHeader& /*header*/) const override {
    return std::make_unique<State>(*this);
  }

  void collect(std::span<const std::unique_ptr<SweepState>> states,
               std::span<SweepCell> cells) const override {
    std::optional<SectoredCounts> sum;
    for (const auto& state : states) {
      if (!state) continue;
      const SectoredCounts& counts = static_cast<const State&>(*state).counts();
      sum ? * sum += counts : sum.emplace(counts);
    }
    if (!sum) return;
    for (const std::size_t cell : cells_) {
      const std::uint32_t ways = cells[cell].config.ways;
      const auto place = std::lower_bound(ways_.begin(), ways_.end(), ways) - ways_.begin();
      cells[cell].counts = sum->of_cache(static_cast<std::size_t>(place), ways, write_);
    }
  }

  [[nodiscard]] std::uint64_t bytes_per_core() const override {
    return SectoredStack::bytes(sets_, ways_, shift_, write_);
  }
  [[nodiscard]] bool needs_transactions() const override { return write_.store_hits_line; }
  [[nodiscard]] SweepLists lists() const override { return lists_of(sets_, ways_.back(), shift_); }

 private:
  class State final : public SweepState {
   public:
    explicit State(const SectoredUnit& unit)
        : unit_(unit), stack_(unit.sets_, unit.ways_, unit.shift_, unit.write_) {}
    void process(const SweepReferences& references) override {
      std::array<std::uint32_t, kSweepBatch> sets, tags;
      std::array<std::uint8_t, kSweepBatch> sectors, firsts{};
      std::array<LineAddr, kSweepBatch> lines;
      const int shift = unit_.shift_;
      const std::uint32_t in_line = (1u << shift) - 1;
      for (std::size_t at = 0; at < references.lines.size(); at += kSweepBatch) {
        const std::size_t count = std::min(kSweepBatch, references.lines.size() - at);
        for (std::size_t i = 0; i < count; ++i) {
          lines[i] = LineAddr(references.lines[at + i].value() >> shift);
          tags[i] = (references.numbers[at + i] >> shift) + 1;
          sectors[i] = static_cast<std::uint8_t>(references.numbers[at + i] & in_line);
          if (unit_.write_.store_hits_line) firsts[i] = references.transactions[at + i].is_first() ? 1 : 0;
        }
        unit_.index_(std::span(lines).first(count), unit_.sets_, sets.data());
        stack_.process({{tags.data(), sets.data(), &references.kinds[at], count, last_uses(references, at),
                         references.first + at},
                        sectors.data(),
                        firsts.data()});
      }
    }
    void invalidate() override { stack_.invalidate(); }
    [[nodiscard]] std::uint64_t vain_levels() const override {
      return stack_.counts().lines.nowhere() * unit_.ways_.back();
    }
    [[nodiscard]] const SectoredCounts& counts() const { return stack_.counts(); }

   private:
    const SectoredUnit& unit_;
    SectoredStack stack_;
  };

  SetIndexFunction index_;
  std::uint32_t sets_;
  int shift_;
  WritePolicy write_;
  std::vector<std::size_t> cells_;
  std::vector<std::uint32_t> ways_;  ///< ascending
};

class SingleUnit final : public SweepUnit {
 public:
  /// `by_launch`: empty, or the cache of each launch, none larger than `config`.
  SingleUnit(const CacheConfig& config, std::size_t cell, bool classes,
             std::vector<CacheConfig> by_launch = {})
      : config_(config),
        index_(set_index(config.set_index).function),
        cell_(cell),
        classes_(classes),
        by_launch_(std::move(by_launch)) {}

  [[nodiscard]] std::unique_ptr<SweepState> make_state(CoreId core,
                                                       const TransactionHeader& header) const override {
    return std::make_unique<State>(*this, core, header);
  }

  void collect(std::span<const std::unique_ptr<SweepState>> states,
               std::span<SweepCell> cells) const override {
    Counts& sum = cells[cell_].counts;
    for (const auto& state : states) {
      if (!state) continue;
      const auto& events = static_cast<const State&>(*state).events();
      for (std::size_t kind = 0; kind < events.size(); ++kind)
        sum.add_events(static_cast<AccessKind>(kind), events[kind]);
    }
    sum.unclassified = 0;
    for (KindCounts& kind : sum.kind) kind.requests = 0;
  }

  [[nodiscard]] std::uint64_t bytes_per_core() const override {
    const std::uint64_t cache =
        std::uint64_t{config_.lines()} * 40 + std::uint64_t{config_.sets()} * 16 + 3 * sizeof(EventCounts);
    // The classifier's times, and what it remembers of lines that the cache does not hold any more.
    return cache + (classes_ ? (1u << 17) + std::uint64_t{config_.lines()} * 32 : 0);
  }
  [[nodiscard]] bool needs_transactions() const override { return true; }

 private:
  class State final : public SweepState {
   public:
    State(const SingleUnit& unit, CoreId core, const TransactionHeader& header)
        : unit_(unit), header_(header), core_(core) {
      build(unit.config_);
    }
    void begin_launch(std::size_t launch) override {
      if (launch >= unit_.by_launch_.size()) return;
      const CacheConfig& config = unit_.by_launch_[launch];
      if (config.size_kib != built_kib_) build(config);
    }
    void reseed(LaunchId launch) override {
      cache_->reseed(seed_for(seed_in_launch(unit_.config_.seed, launch), core_.value()));
    }
    void process(const SweepReferences& references) override {
      std::array<std::uint32_t, kSweepBatch> sets;
      std::array<LineAddr, kSweepBatch> lines;
      const int shift = unit_.config_.sector_shift();
      for (std::size_t at = 0; at < references.lines.size(); at += kSweepBatch) {
        const std::size_t count = std::min(kSweepBatch, references.lines.size() - at);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < count; ++i) {
          lines[i] = LineAddr(references.lines[at + i].value() >> shift);
          bits |= references.transactions[at + i].bits();
        }
        unit_.index_(std::span(lines).first(count), sets_, sets.data());
        CacheBatch batch{references.transactions.subspan(at, count), sets.data(), set_counts_.data(),
                         unit_.classes_ ? outcomes_.data() : nullptr, events_.data()};
        batch.only_loads = (bits & Transaction::kStoreOrBypass) == 0;
        cache_->process(batch);
        if (classifier_) classifier_->process(batch);
        if (sector_classifier_) sector_classifier_->process(batch);
      }
    }
    void invalidate() override {
      cache_->invalidate();
      if (classifier_) classifier_->reset();
      if (sector_classifier_) sector_classifier_->reset();
    }
    [[nodiscard]] const std::array<EventCounts, 3>& events() const { return events_; }

   private:
    void build(const CacheConfig& config) {
      built_kib_ = config.size_kib;
      sets_ = config.sets();
      if (set_counts_.size() < sets_) set_counts_.resize(sets_);  // a smaller cache may have more sets
      cache_ = make_l1_cache(
          {config, seed_for(config.seed, core_.value()), header_.line_limit, false, header_.private_from});
      if (!unit_.classes_) return;
      const WriteRules write(config, header_.private_from);
      if (config.sector_shift() == 0)
        classifier_.emplace(config.lines(), write);
      else
        sector_classifier_.emplace(config, write);
    }

    const SingleUnit& unit_;
    const TransactionHeader& header_;  ///< outlives this
    CoreId core_;
    std::uint64_t built_kib_ = 0;
    std::uint32_t sets_ = 0;
    std::unique_ptr<L1Cache> cache_;
    std::vector<PackedSetCounts> set_counts_;  ///< the cache counts there; nobody reads them
    std::array<EventCounts, 3> events_{};
    std::array<std::uint8_t, kSweepBatch> outcomes_{};  ///< outcomes of a batch, for the classifiers
    std::optional<MissClassifier> classifier_;
    std::optional<SectorClassifier> sector_classifier_;
  };

  CacheConfig config_;
  SetIndexFunction index_;
  std::size_t cell_;
  bool classes_;
  std::vector<CacheConfig> by_launch_;
};

/// The unit of `known` with this key, which is made if it is new.
template <class Unit, class Key>
Unit& unit_of(std::map<Key, Unit*>& known, const Key& key, const CacheConfig& config,
              std::vector<std::unique_ptr<SweepUnit>>& units, std::size_t& stacks) {
  Unit*& unit = known[key];
  if (unit == nullptr) {
    auto added = std::make_unique<Unit>(config);
    unit = added.get();
    units.push_back(std::move(added));
    ++stacks;
  }
  return *unit;
}

/// Whether caches of all ways can be had in one pass.
bool has_stack(const CacheConfig& config, const TransactionHeader& header) {
  const WritePolicy& write = write_policy(config.write_policy);
  return config.replacement == "LRU" && !WriteRules(config, header.private_from).mixed() &&
         (config.sector_shift() == 0 ? LruStack::can(config.ways, write)
                                     : SectoredStack::can(config.ways, write));
}

}  // namespace

std::vector<std::unique_ptr<SweepUnit>> make_sweep_units(std::span<const SweepCell> cells, bool classes,
                                                         const TransactionHeader& header,
                                                         const std::optional<FollowingCell>& following,
                                                         std::size_t& stacks) {
  using Key = std::tuple<std::uint32_t, std::string, std::string, int>;
  std::vector<std::unique_ptr<SweepUnit>> units;
  std::map<Key, StackUnit*> known;
  std::map<Key, SectoredUnit*> sectored;
  stacks = 0;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const CacheConfig& config = cells[cell].config;
    const bool follows = following && following->cell == cell;
    if (follows || classes || !has_stack(config, header)) {
      units.push_back(std::make_unique<SingleUnit>(
          config, cell, classes, follows ? following->by_launch : std::vector<CacheConfig>{}));
      continue;
    }
    const Key key{config.sets(), config.set_index, config.write_policy, config.sector_shift()};
    if (config.sector_shift() == 0)
      unit_of(known, key, config, units, stacks).add_cell(cell, config.ways);
    else
      unit_of(sectored, key, config, units, stacks).add_cell(cell, config.ways);
  }
  return units;
}

}  // namespace warpscope
