#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "traces/base/varint.h"
#include "traces/capture/walk.h"
#include "whatif/kernel_change.h"
#include "whatif/locations.h"
#include "whatif/rewrite.h"

namespace warpscope::whatif {
namespace {

/// Takes the locations of one work-item after the other, and makes a column of them.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(std::size_t work_items) {
    column_.shape_of.assign(work_items, SiteColumn::kNone);
    column_.first.assign(work_items, 0);
  }
  void add(BufferAddr at) {
    if (!begun_) {
      begun_ = true;
      first_ = at.key();
    } else if (const auto delta = static_cast<std::int64_t>(at.key() - last_);
               run_.repeat > 0 && run_.delta == delta) {
      ++run_.repeat;
    } else {
      end_run();
      run_ = {delta, 1};
    }
    last_ = at.key();
  }
  void end_item(std::uint32_t item) {
    end_run();
    take(item, first_, coded_, runs_);
    coded_.clear();
    runs_ = 0;
    begun_ = false;
  }
  /// A work-item with the differences of `shape`.
  void take(std::uint32_t item, std::uint64_t first, std::span<const std::uint8_t> coded,
            std::uint64_t runs) {
    const std::string_view content(reinterpret_cast<const char*>(coded.data()), coded.size());
    const auto [entry, is_new] =
        numbers_.try_emplace(std::string(content), static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) column_.shapes.add_coded(coded, runs);
    column_.shape_of[item] = entry->second;
    column_.first[item] = first;
  }
  SiteColumn result() { return std::move(column_); }

 private:
  void end_run() {
    if (run_.repeat == 0) return;
    put_delta_run(coded_, run_);
    ++runs_;
    run_ = {};
  }

  SiteColumn column_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< by coded differences
  bool begun_ = false;
  std::uint64_t first_ = 0, last_ = 0;
  DeltaRun run_;
  std::vector<std::uint8_t> coded_;
  std::uint64_t runs_ = 0;
};

BufferAddr moved(BufferAddr at, std::uint32_t start, const Plan& plan) {
  const OffsetMap* map = plan.map_of(at.buffer());
  const std::uint64_t offset = at.offset() + start;
  return {at.buffer(), map == nullptr ? offset : *map->moved(offset)};
}

SiteColumn changed_column(const SiteColumn& column, std::uint32_t start, const Plan& plan) {
  const AlikeItems alike(column);
  const Reach reach(column);
  ColumnBuilder builder(column.shape_of.size());
  for (const AlikeItems::Kind& kind : alike.kinds()) {
    bool several = false;
    const BufferId only = reach.only_object(kind.item, several);
    if (!several && !plan.moves(only)) {
      const ShapeView shape = column.shapes[column.shape_of[kind.item]];
      builder.take(kind.item, column.first[kind.item], shape.coded(), shape.size());
      continue;
    }
    for (LocationCursor cursor(column, WorkItemId(kind.item)); cursor.has_next();)
      builder.add(moved(cursor.next(), start, plan));
    builder.end_item(kind.item);
  }
  SiteColumn changed = builder.result();
  for (std::uint32_t item = 0; item < column.shape_of.size(); ++item) {
    if (alike.kind_of(item) == SiteColumn::kNone) continue;
    const std::uint32_t first = alike.kinds()[alike.kind_of(item)].item;
    changed.shape_of[item] = changed.shape_of[first];
    changed.first[item] = changed.first[first];
  }
  return changed;
}

/// One entry per piece of a site in place of the site's.
template <class T>
std::vector<T> per_piece(const std::vector<T>& by_site, const std::vector<SiteFit>& fits) {
  std::vector<T> result;
  for (std::size_t s = 0; s < by_site.size(); ++s) result.insert(result.end(), parts_of(fits[s]), by_site[s]);
  return result;
}

std::vector<SiteId> changed_order(const std::vector<SiteId>& order, const std::vector<SiteFit>& fits,
                                  const std::vector<std::uint32_t>& first) {
  std::vector<SiteId> result;
  for (const SiteId site : order)
    for (std::uint32_t part = 0; part < parts_of(fits[site.value()]); ++part)
      result.emplace_back(first[site.value()] + part);
  return result;
}

}  // namespace

WorkGroupTrace changed_trace(const WorkGroupTrace& trace, const std::vector<SiteFit>& fits,
                             const Plan& plan) {
  WorkGroupTrace changed = trace;
  for (Path& path : changed.paths) path.site_counts = per_piece(path.site_counts, fits);
  changed.columns.clear();
  std::vector<std::uint32_t> first;
  for (std::size_t s = 0; s < trace.columns.size(); ++s) {
    first.push_back(static_cast<std::uint32_t>(changed.columns.size()));
    if (fits[s].joined) continue;
    if (fits[s].wide) {
      changed.columns.push_back(trace.columns[fits[s].wide->sites.front().value()]);
      continue;
    }
    if (!fits[s].moves || trace.columns[s].shapes.empty()) {
      changed.columns.insert(changed.columns.end(), parts_of(fits[s]), trace.columns[s]);
      continue;
    }
    for (const Piece& piece : fits[s].pieces)
      changed.columns.push_back(changed_column(trace.columns[s], piece.start, plan));
  }
  for (auto& order : changed.recorded_order) order = changed_order(order, fits, first);
  return changed;
}

}  // namespace warpscope::whatif
