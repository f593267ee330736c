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

/// The work-items of a site that access the same locations, in the order of the first of each kind: most
/// kernels have rows or columns of work-items that do, and looking at one of them is enough.
class AlikeItems {
 public:
  explicit AlikeItems(const SiteColumn& column);
  struct Kind {
    std::uint32_t item;   ///< the first of them
    std::uint64_t count;  ///< how many
  };
  [[nodiscard]] const std::vector<Kind>& kinds() const { return kinds_; }
  /// Index into kinds() of a work-item that executes the site; SiteColumn::kNone for others.
  [[nodiscard]] std::uint32_t kind_of(std::uint32_t item) const { return kind_of_[item]; }

 private:
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;
};

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
