#pragma once
// Which lines an L2 holds, and which cores have asked for them there.
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "cachesim/l1/lru_lists.h"
#include "timed/footprint/cores_in_order.h"
#include "traces/program/group_selection.h"

namespace warpscope::timed {

/// How many lines, or sectors, are in the L2, and whose.
struct Shared {
  std::uint64_t all = 0, of_some = 0;    ///< some: the cores that are asked about
  std::uint64_t of_one = 0, of_two = 0;  ///< of all, those of one and of two cores
  Shared& operator+=(const Shared& other);
};

/// What is known of a buffer's sectors in the L2.
struct BufferInL2 {
  Shared loaded;  ///< each time that a sector is there
  /// Times that some cores find a sector that none of them has used there: who brings it, if each of its loads is as likely the first.
  double by_some = 0, by_others = 0;
  std::uint64_t found = 0,
                soon =
                    0;  ///< loads by some that find another's; lately brought, so that it may be on its way
};

struct L2Counts {
  Shared
      lines;  ///< each time that as many as fit have been replaced, added up; else those that are there at the end
  std::map<std::uint32_t, BufferInL2> buffers;
  L2Counts& operator+=(const L2Counts& other);
};

/// An L2 of least recently used lines.
class L2Content {
 public:
  static constexpr std::uint32_t kMostSectors = 8;
  /// Room for `lines`, at least 1, of at most kMostSectors sectors. Adds to `counts`, which outlives it.
  L2Content(const SampledCores& some, std::uint32_t lines, std::uint32_t sectors_per_line, L2Counts& counts);
  void access(const CoresInOrder::Access& access);
  /// A launch is over. The lines stay, and the next launch finds them.
  void end_launch();
  /// After the last launch.
  void end();

 private:
  /// The first two cores, and whether there are more.
  struct Sharers {
    static constexpr std::uint32_t kNone = ~0u;
    std::uint32_t first = kNone, second = kNone;
    bool some = false, more = false;
    void add(std::uint32_t core, bool is_some);
    void count(Shared& shared) const;
  };
  /// Since it came, or since the launch began.
  struct Sector {
    std::uint64_t since = 0;  ///< time
    std::uint32_t buffer = 0;
    std::uint32_t loads = 0, loads_by_some = 0;
    bool is_there = false, was_there = false;  ///< was: when the launch began
    bool used = false, was_used = false;       ///< by some, since it came
    Sharers loaders;
  };
  struct Line {
    Sharers cores;
    bool touched = false;  ///< in this launch
    std::array<Sector, kMostSectors> sectors;
  };
  LruLists::Node place_of(std::uint64_t line);
  void load(Sector& sector, const CoresInOrder::Access& access, bool is_some);
  void count_lines();
  void count_sectors(const Line& line);

  SampledCores some_;
  std::uint32_t sectors_per_line_;
  LruLists lists_;
  std::vector<Line> lines_;              ///< by place
  std::vector<LruLists::Node> touched_;  ///< in this launch
  std::uint64_t replaced_ = 0;           ///< lines since they were counted
  bool counted_ = false;
  L2Counts& counts_;
};

}  // namespace warpscope::timed
