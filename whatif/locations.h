#pragma once
// The accesses of a work-group's site, and which objects they reach.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "traces/capture/walk.h"
#include "traces/program/kernel_info.h"
#include "traces/program/work_group_trace.h"

namespace warpscope::whatif {

/// Calls visit(work-item, location) for every access of a site, the work-items in their order.
template <class Visit>
void each_location(const SiteColumn& column, Visit visit) {
  for (std::uint32_t item = 0; item < column.shape_of.size(); ++item) {
    if (column.shape_of[item] == SiteColumn::kNone) continue;
    for (LocationCursor cursor(column, WorkItemId(item)); cursor.has_next();) visit(item, cursor.next());
  }
}

/// Which work-items of a site stay in one object: without looking at each of their accesses.
class Reach {
 public:
  explicit Reach(const SiteColumn& column);
  /// The only object that the work-item reaches at this site, which it executes; with `several`, id 0 and
  /// true if there are more.
  [[nodiscard]] BufferId only_object(std::uint32_t item, bool& several) const;

 private:
  struct Span {
    std::int64_t least = 0, most = 0;
  };
  const SiteColumn& column_;
  std::vector<Span> spans_;  ///< by shape: distance from the first access, bytes
};

/// "mm.cl:12:7", or "kernel mm, site 3" where the source is not known.
std::string place_of(const KernelInfo& kernel, SiteId site);

}  // namespace warpscope::whatif
