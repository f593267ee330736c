#pragma once
// The accesses of a work-group's site, which objects they reach, and a site's new accesses.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/base/varint.h"
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
    std::uint64_t count;  ///< number of work-items
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
  std::vector<Span> spans_;  ///< indexed by shape: distance from the first access, bytes
};

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
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< indexed by coded differences
  bool begun_ = false;
  std::uint64_t first_ = 0, last_ = 0;
  DeltaRun run_;
  std::vector<std::uint8_t> coded_;
  std::uint64_t runs_ = 0;
};

/// "mm.cl:12:7", or "kernel mm, site 3" where the source is not known.
std::string place_of(const KernelInfo& kernel, SiteId site);

}  // namespace warpscope::whatif
