#include "whatif/facts/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/progress.h"
#include "whatif/facts/locations.h"

namespace warpscope::whatif {
namespace {

void vote(std::map<std::uint64_t, std::uint64_t>& votes, std::uint64_t from, std::uint64_t to,
          std::uint64_t times) {
  const std::uint64_t distance = from < to ? to - from : from - to;
  if (distance == 0) return;
  const auto found = votes.find(distance);
  if (found != votes.end())
    found->second += times;
  else if (votes.size() < kMostDistances)
    votes.emplace(distance, times);
}

class Survey {
 public:
  Survey(const std::vector<bool>& wanted, std::vector<ObjectFacts>& facts) : wanted_(wanted), facts_(facts) {}

  void add(const LaunchInfo& launch, const WorkGroupTrace& trace) {
    for (std::size_t site = 0; site < trace.columns.size(); ++site) {
      const SiteColumn& column = trace.columns[site];
      if (column.shapes.empty()) continue;
      const Reach reach(column);
      const AlikeItems alike(column);
      for (const AlikeItems::Kind& kind : alike.kinds()) {
        bool several = false;
        const BufferId id = reach.only_object(kind.item, several);
        if (several || is_wanted(id))
          add_items(*launch.kernel, SiteId(static_cast<std::uint32_t>(site)), column, kind);
      }
      for (std::uint32_t item = 0; item < column.shape_of.size(); ++item)
        if (column.shape_of[item] != SiteColumn::kNone) add_neighbours(launch, column, item);
    }
  }

 private:
  /// Damaged captures name objects that are not there.
  [[nodiscard]] bool is_wanted(BufferId id) const {
    return id.value() < wanted_.size() && wanted_[id.value()];
  }

  void add_items(const KernelInfo& kernel, SiteId site, const SiteColumn& column,
                 const AlikeItems::Kind& kind) {
    const SiteInfo& info = kernel.sites[site.value()];
    BufferAddr before;
    for (LocationCursor cursor(column, WorkItemId(kind.item)); cursor.has_next();) {
      const BufferAddr at = cursor.next();
      if (is_wanted(at.buffer())) {
        ObjectFacts& facts = facts_[at.buffer().value()];
        facts.accesses += kind.count;
        facts.lowest = std::min(facts.lowest, at.offset());
        if (facts.narrowest == 0 || info.width < facts.narrowest) {
          facts.narrowest = info.width;
          facts.narrowest_at = place_of(kernel, site);
        }
        facts.widest = std::max(facts.widest, info.width);
        if (!facts.other_type && (at.offset() % facts.narrowest != 0 || info.width % facts.narrowest != 0))
          facts.other_type = place_of(kernel, site);
        if (before.buffer() == at.buffer())
          vote(facts.between_accesses, before.offset(), at.offset(), kind.count);
      }
      before = at;
    }
  }

  void add_neighbours(const LaunchInfo& launch, const SiteColumn& column, std::uint32_t item) {
    const auto width = static_cast<std::uint32_t>(launch.local.x);
    const auto rows = static_cast<std::uint32_t>(launch.local.y);
    const std::uint32_t x = item % width;
    const std::uint32_t y = item / width % rows;
    if (x + 1 < width) add_pair(column, item, item + 1);
    if (y + 1 < rows) add_pair(column, item, item + width);
  }

  void add_pair(const SiteColumn& column, std::uint32_t item, std::uint32_t other) {
    if (other >= column.shape_of.size() || column.shape_of[other] == SiteColumn::kNone) return;
    const BufferAddr from(column.first[item]);
    const BufferAddr to(column.first[other]);
    if (from.buffer() == to.buffer() && is_wanted(from.buffer()))
      vote(facts_[from.buffer().value()].between_items, from.offset(), to.offset(), 1);
  }

  const std::vector<bool>& wanted_;
  std::vector<ObjectFacts>& facts_;
};

std::uint64_t most_frequent_above(const std::map<std::uint64_t, std::uint64_t>& votes, std::uint64_t least) {
  std::uint64_t best = 0;
  std::uint64_t most = 0;
  for (const auto& [distance, times] : votes) {
    if (distance <= least || distance % least != 0 || times <= most) continue;
    best = distance;
    most = times;
  }
  return best;
}

}  // namespace

std::optional<FoundRow> find_row(const ObjectFacts& facts) {
  const std::uint64_t element = std::max(1u, facts.narrowest);
  if (const std::uint64_t row = most_frequent_above(facts.between_items, element); row != 0)
    return FoundRow{row, "the most frequent distance between neighbouring work-items"};
  if (const std::uint64_t row = most_frequent_above(facts.between_accesses, element); row != 0)
    return FoundRow{row, "the most frequent distance between consecutive accesses of a work-item"};
  return {};
}

std::vector<ObjectFacts> facts_of(const CaptureReader& capture, const std::vector<bool>& wanted) {
  std::vector<ObjectFacts> facts(wanted.size());
  Survey survey(wanted, facts);
  std::uint64_t total = 0;
  for (const LaunchInfo& launch : capture.launches()) total += capture.groups(launch.id).size();
  Progress progress("looking at the layout", total, "work-groups");
  std::uint64_t done = 0;
  for (const LaunchInfo& launch : capture.launches()) {
    for (const WorkGroupId group : capture.groups(launch.id)) {
      survey.add(launch, capture.read(launch.id, group));
      progress.update(++done);
    }
  }
  return facts;
}

}  // namespace warpscope::whatif
