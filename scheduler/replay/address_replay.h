#pragma once
// The address side of the replay: where every lane of a warp is in the address sequence of every site.
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "scheduler/replay/pattern_dictionary.h"
#include "scheduler/replay/prefetch.h"
#include "traces/program/shared_group.h"
#include "traces/stream/warp_access.h"

namespace warpscope {

/// A lane executes a site more often than the capture has addresses for; the caller names site and work-item.
struct AddressDamage {
  unsigned lane;
};

/// How the lanes of a warp began at a site.
struct WarpStart {
  std::uint64_t form = 0;  ///< ColumnForm::id of the column; 0: only `pattern` is known
  LaneMask lanes = 0;
  const KnownPattern* pattern = nullptr;
  std::uint64_t first = 0;  ///< location of the lowest lane in the form
  RunCursor runs;           ///< valid while the form exists
};

/// Kept over all work-groups of a launch: patterns, forms, and per (warp, site) how the last group began
/// there, because neighbouring work-groups nearly always repeat it.
class PatternMemory {
 public:
  PatternMemory(std::uint32_t warps_per_group, std::uint32_t sites)
      : sites_(sites), last_(std::size_t{warps_per_group} * sites) {}
  PatternDictionary& dictionary() { return dictionary_; }
  FormMemory& forms() { return forms_; }
  WarpStart& last(std::uint32_t warp, SiteId site) {
    return last_[std::size_t{warp} * sites_ + site.value()];
  }

 private:
  PatternDictionary dictionary_;
  FormMemory forms_;
  std::uint32_t sites_;
  std::vector<WarpStart> last_;
};

/// Cursors of one work-group. While the lanes of a warp execute a site together and all move by the same
/// distances, one cursor and one constant pattern serve them all; when they part, each lane gets its own
/// cursor.
class AddressReplay {
 public:
  /// `group` and `memory` outlive this object. `warp_size` in 1 .. kMaxWarpSize.
  AddressReplay(const SharedGroup& group, PatternMemory& memory, std::uint32_t warp_size);

  /// Next addresses of `lanes` (not empty) of `warp` at `site`: fills base, pattern and pattern_id of `out`.
  /// The pattern stays valid until the next call. Throws AddressDamage.
  void next(std::uint32_t warp, SiteId site, LaneMask lanes, WarpAccess& out) {
    if (next_together(warp, site, lanes, out)) return;
    next_slow(warp, site, lanes, together_[std::size_t{warp} * sites_ + site.value()], out);
  }
  /// The same in the usual case: the lanes go on together as they did. Otherwise false, and nothing is done.
  bool next_together(std::uint32_t warp, SiteId site, LaneMask lanes, WarpAccess& out) {
    Together& cursor = together_[std::size_t{warp} * sites_ + site.value()];
    if (cursor.left == 0 || cursor.pattern == nullptr || cursor.pattern->pattern.mask != lanes) return false;
    --cursor.left;
    cursor.key += static_cast<std::uint64_t>(cursor.delta);
    out.base = BufferAddr(cursor.key);
    out.pattern = &cursor.pattern->pattern;
    out.pattern_id = cursor.pattern->id;
    return true;
  }

  /// Asks early for what next() looks at first.
  void prefetch_cursor(std::uint32_t warp, SiteId site) const {
    prefetch_line(&together_[std::size_t{warp} * sites_ + site.value()]);
  }
  /// Asks early for the memory that the next accesses of `lanes` at `site` need. Every lane reads a stream of
  /// its own, more than a processor's prefetcher follows, and out-of-order execution alone overlaps only a
  /// few of the misses.
  void prefetch(std::uint32_t warp, SiteId site, LaneMask lanes) const;

  /// True when every work-item of `warp` has used every address that the capture holds for it.
  [[nodiscard]] bool exhausted(std::uint32_t warp) const;

 private:
  /// Lanes that move together, those of `pattern`. Without one: not started (left == 0), or lanes move apart (left = index of their
  /// cursors + 1). Two in a line of the host's cache: a core's warps visit one after the other.
  struct alignas(32) Together {
    std::uint64_t key = 0;   ///< location of the first lane
    std::int64_t delta = 0;  ///< difference within the current run
    std::uint64_t left = 0;  ///< steps left of it
    const KnownPattern* pattern = nullptr;
    [[nodiscard]] LaneMask lanes() const { return pattern == nullptr ? 0 : pattern->pattern.mask; }
  };
  /// One lane on its own.
  struct Alone {
    std::uint64_t key = 0;
    std::int64_t delta = 0;
    std::uint64_t left = kNotStarted;
    RunCursor runs;
  };
  static constexpr std::uint64_t kNotStarted = ~std::uint64_t{0};

  void next_slow(std::uint32_t warp, SiteId site, LaneMask lanes, Together& cursor, WarpAccess& out);
  bool start_together(std::uint32_t warp, SiteId site, LaneMask lanes, Together& cursor);
  RunCursor& runs_of(const Together& cursor) {
    return runs_[static_cast<std::size_t>(&cursor - together_.data())];
  }
  const KnownPattern* pattern_of(const KnownPattern* last, LaneMask lanes, const std::uint64_t* first);
  void part(Together& cursor);
  void next_apart(std::uint32_t warp, SiteId site, LaneMask lanes, Alone* alone, WarpAccess& out);
  void start(Alone& cursor, std::uint32_t warp, SiteId site, unsigned lane) const;
  void advance(Alone& cursor, std::uint32_t warp, SiteId site, unsigned lane) const;
  [[nodiscard]] ShapeView shape_of(std::uint32_t item, SiteId site, unsigned lane) const;
  void release_pages();

  /// After so many calls of next_slow(), each of which reads a few bytes per lane, what they read of a work-group that is
  /// in a file is given back.
  static constexpr std::uint32_t kCallsPerRelease = 1u << 17;

  const SharedGroup* group_;
  PatternMemory* memory_;
  std::uint32_t warp_size_;
  std::size_t sites_;
  std::vector<Together> together_;  ///< [warp][site]
  std::vector<RunCursor> runs_;     ///< of `together_`: the runs after the current one
  std::vector<Alone> alone_;        ///< warp_size_ per (warp, site) whose lanes have parted
  LanePattern scratch_;
  std::uint32_t until_release_ = kCallsPerRelease;
};

}  // namespace warpscope
