// The race detector against all pairs of accesses, on random kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "tests/thinning.h"
#include "tests/unit/random.h"
#include "traces/races/races.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kWarp = 32;  // as kernels with warp functions have it

/// What a kernel does, one after the other.
struct Part {
  enum class Kind : std::uint8_t { Access, Barrier, Meeting };
  Kind kind = Kind::Access;
  AccessKind access = AccessKind::Load;
  bool is_volatile = false;
  std::uint32_t width = 4;
  LaneMask mask =
      0xffffffffu;  ///< of a meeting; of an access: lanes that make it (other bits per warp are random)
  std::uint32_t site = 0;
};

/// One event of a work-item, for the naive model.
struct Event {
  const Part* part = nullptr;
  std::uint32_t item = 0;
  std::uint64_t offset = 0;
  std::vector<std::size_t> after;  ///< events that come right after it
};

class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : random_(seed) {
    items_ = 1 + below(80);
    rounds_ = 1 + below(3);
    cells_ = 1 + below(24);
    const std::uint32_t parts = 2 + below(9);
    for (std::uint32_t i = 0; i < parts; ++i) parts_.push_back(random_part());
    build_kernel();
    run();
  }

  [[nodiscard]] const KernelInfo& kernel() const { return kernel_; }
  [[nodiscard]] const WorkGroupTrace& trace() const { return trace_; }

  /// All pairs of accesses that no chain of events orders and no barrier separates.
  [[nodiscard]] std::set<RacePair> naive(const RacePlan& plan) const {
    std::set<RacePair> found;
    for (std::size_t a = 0; a < events_.size(); ++a) {
      if (events_[a].part == nullptr) continue;
      const std::vector<bool> later = reached_from(a);
      for (std::size_t b = a + 1; b < events_.size(); ++b) {  // none reaches one before it
        if (events_[b].part == nullptr || later[b] || events_[a].item == events_[b].item) continue;
        if (interval_of_[a] == interval_of_[b]) add(found, plan, events_[a], events_[b]);
      }
    }
    return found;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }

  Part random_part() {
    Part part;
    const std::uint32_t what = below(10);
    if (what == 0) part.kind = Part::Kind::Barrier;
    if (what == 1 || what == 2) part.kind = Part::Kind::Meeting;
    if (what == 2) part.mask = std::uint64_t{1} + below(~0u);
    const std::uint32_t access = below(6);
    part.access = access < 3 ? AccessKind::Load : access < 5 ? AccessKind::Store : AccessKind::Atomic;
    part.is_volatile = below(4) == 0;
    part.width = part.access == AccessKind::Atomic ? 4 : 1u << below(4);
    if (part.kind == Part::Kind::Access && below(2) == 0) part.mask = below(~0u);
    return part;
  }

  /// Whether a work-item does `part`; others jump over it.
  [[nodiscard]] bool takes(const Part& part, std::uint32_t item) const {
    return (part.mask >> item % kWarp & 1) != 0;
  }

  // Each part in its own block behind a branch; the last block goes back to the first or returns.
  void build_kernel() {
    const auto count = static_cast<std::uint32_t>(parts_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      BlockInfo branch, body;
      branch.successors = {BlockId(2 * i + 1), BlockId(2 * i + 2)};
      body.successors = {BlockId(2 * i + 2)};
      body.instructions = 2;
      Part& part = parts_[i];
      if (part.kind == Part::Kind::Meeting) {
        body.meetings = {{0, part.mask, false}};
      } else {
        part.site = static_cast<std::uint32_t>(kernel_.sites.size());
        body.sites = {SiteId(part.site)};
        SiteInfo site;
        site.kind = part.kind == Part::Kind::Barrier ? AccessKind::Barrier : part.access;
        site.space = AddressSpace::Local;
        site.width = part.kind == Part::Kind::Barrier ? 0 : part.width;
        site.alignment = std::max(site.width, 1u);
        site.is_volatile = part.is_volatile;
        kernel_.sites.push_back(site);
      }
      kernel_.blocks.push_back(branch);
      kernel_.blocks.push_back(body);
    }
    BlockInfo last, exit;
    last.successors = {BlockId(0), BlockId(2 * count + 1)};
    kernel_.blocks.push_back(last);
    kernel_.blocks.push_back(exit);
  }

  void run() {
    trace_.work_items = items_;
    trace_.columns.resize(kernel_.sites.size());
    std::vector<std::size_t> last(items_, kNobody);
    std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> meetings;  // (round and part, warp) -> event
    std::vector<std::vector<std::vector<std::uint64_t>>> locations(
        items_, std::vector<std::vector<std::uint64_t>>(kernel_.sites.size()));
    std::vector<std::vector<bool>> outcomes(items_);
    std::uint32_t interval = 0;
    for (std::size_t step = 0; step < rounds_ * parts_.size(); ++step) {
      const Part& part = parts_[step % parts_.size()];
      if (part.kind == Part::Kind::Barrier) ++interval;
      for (std::uint32_t item = 0; item < items_; ++item) {
        const bool does = part.kind == Part::Kind::Barrier || takes(part, item);
        outcomes[item].push_back(!does);
        if (step % parts_.size() == parts_.size() - 1)
          outcomes[item].push_back(step + 1 == rounds_ * parts_.size());
        if (!does || part.kind == Part::Kind::Barrier) continue;
        std::size_t event = events_.size();
        if (part.kind == Part::Kind::Meeting)
          event = meetings.try_emplace({step, item / kWarp}, event).first->second;
        if (event == events_.size()) {
          const std::uint64_t offset = std::uint64_t{below(cells_)} * part.width;
          events_.push_back({part.kind == Part::Kind::Access ? &part : nullptr, item, offset, {}});
          interval_of_.push_back(interval);
        }
        if (part.kind == Part::Kind::Access)
          locations[item][part.site].push_back(BufferAddr(BufferId(1), events_[event].offset).key());
        if (last[item] != kNobody) events_[last[item]].after.push_back(event);
        last[item] = event;
      }
    }
    for (std::uint32_t item = 0; item < items_; ++item) write(item, outcomes[item], locations[item]);
  }

  void write(std::uint32_t item, const std::vector<bool>& outcomes,
             const std::vector<std::vector<std::uint64_t>>& locations) {
    Path path{std::vector<std::uint64_t>(outcomes.size() / 64 + 1), outcomes.size(), {}};
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      path.bits[i / 64] |= std::uint64_t{outcomes[i]} << i % 64;
    trace_.path_of.push_back(item);
    trace_.paths.push_back(std::move(path));
    for (std::size_t site = 0; site < locations.size(); ++site) {
      SiteColumn& column = trace_.columns[site];
      column.shape_of.resize(items_, SiteColumn::kNone);
      column.first.resize(items_);
      if (locations[site].empty()) continue;
      std::vector<DeltaRun> runs;
      for (std::size_t i = 1; i < locations[site].size(); ++i)
        runs.push_back({static_cast<std::int64_t>(locations[site][i] - locations[site][i - 1]), 1});
      column.first[item] = locations[site][0];
      column.shape_of[item] = static_cast<std::uint32_t>(column.shapes.size());
      column.shapes.add(runs);
    }
  }

  [[nodiscard]] std::vector<bool> reached_from(std::size_t event) const {
    std::vector<bool> reached(events_.size());
    std::vector<std::size_t> work{event};
    while (!work.empty()) {
      const std::size_t at = work.back();
      work.pop_back();
      for (const std::size_t next : events_[at].after) {
        if (!reached[next]) work.push_back(next);
        reached[next] = true;
      }
    }
    return reached;
  }

  static void add(std::set<RacePair>& found, const RacePlan& plan, const Event& a, const Event& b) {
    const bool apart = a.offset + a.part->width <= b.offset || b.offset + b.part->width <= a.offset;
    const auto kind = [](const Part& part) {
      return part.access == AccessKind::Store    ? RaceKind::Store
             : part.access == AccessKind::Atomic ? RaceKind::Atomic
             : part.is_volatile                  ? RaceKind::VolatileLoad
                                                 : RaceKind::Load;
    };
    if (apart || !conflict(kind(*a.part), kind(*b.part))) return;
    const auto index = [&](const Part& part) {
      for (std::uint32_t i = 0; i < plan.sites.size(); ++i) {
        if (plan.sites[i].id == SiteId(part.site)) return i;
      }
      return ~0u;
    };
    const std::uint32_t first = index(*a.part), second = index(*b.part);
    const bool one_warp = a.item / kWarp == b.item / kWarp;
    found.insert({std::min(first, second), std::max(first, second), one_warp, false, BufferId(1)});
  }

  static constexpr std::size_t kNobody = ~std::size_t{0};
  testing::Random random_;
  std::uint32_t items_ = 0, rounds_ = 0, cells_ = 0;
  std::vector<Part> parts_;
  KernelInfo kernel_;
  WorkGroupTrace trace_;
  std::vector<Event> events_;
  std::vector<std::uint32_t> interval_of_;
};

TEST(Races, AreThoseOfAllPairs) {
  std::size_t with_races = 0, without = 0;
  for (std::uint64_t seed = 0; seed < 300; seed += kCaseStep) {
    const RandomRun run(seed);
    const RacePlan plan(run.kernel());
    std::uint64_t steps = 1u << 24;
    std::set<RacePair> found;
    for (const auto& [pair, example] :
         races_in_group(run.kernel(), plan, run.trace(), {false, true}, kWarp, steps)) {
      // When a warp executes an instruction is the walk's; that of one instruction is all that can be said here.
      EXPECT_TRUE(!pair.together || (pair.one_warp && pair.first == pair.second)) << "seed " << seed;
      found.insert({pair.first, pair.second, pair.one_warp, false, pair.buffer});
    }
    const std::set<RacePair> expected = run.naive(plan);
    ASSERT_TRUE(found == expected) << "seed " << seed << ": " << found.size() << " races, expected "
                                   << expected.size();
    ++(found.empty() ? without : with_races);
  }
  EXPECT_GT(with_races, 100u / kCaseStep);
  EXPECT_GT(without, 30u / kCaseStep);
}

}  // namespace
}  // namespace warpscope
