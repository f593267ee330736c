#include <algorithm>

#include "traces/capture/walk.h"
#include "whatif/facts/locations.h"
#include "whatif/kernel_change.h"
#include "whatif/rewrite.h"

namespace warpscope::whatif {
namespace {

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
