#pragma once
// From one warp access to the look-ups of the L1: where it goes, which sectors of which lines, how many
// cycles it takes the L1.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cachesim/transactions/access_path.h"
#include "cachesim/transactions/outside_costs.h"
#include "cachesim/transactions/remembered_patterns.h"
#include "timed/config/config.h"
#include "timed/memory/l1.h"
#include "traces/stream/stream.h"
#include "traces/stream/warp_access.h"

namespace warpscope::timed {

struct LineLookup {
  LineAddr line;
  SectorMask sectors = 0;
  bool first_of_request = false;
  std::uint32_t wavefront = 0;  ///< wavefront of the tag stage, counted from the access's first; never falls
  std::uint8_t operations = 1;  ///< of an atomic access: lanes that change one word of the line, at most
};

struct PreparedAccess {
  OriginId origin;
  AccessKind kind = AccessKind::Load;
  Destination destination = Destination::L1;
  std::uint32_t lanes = 0;
  std::uint32_t cycles = 1;  ///< cycles that it takes the L1 at least; local memory: cycles of its banks
  std::uint32_t passes = 1;  ///< cycles of local memory that are no conflicts
  std::uint32_t private_words = 0;  ///< words of each lane that are in private memory
  std::vector<LineLookup> lines;
};

class AccessLines {
 public:
  AccessLines(const StreamHeader& header, const TimedConfig& config);
  void begin_launch(const LaunchInfo& launch);
  /// Fills `out`. The line numbers of lanes in several buffers are not kept apart by buffer: the first lane's
  /// counts.
  void prepare(const WarpAccess& access, PreparedAccess& out);
  /// Cycles that an access of local memory with `wavefronts` takes the data stage, where it is the L1's (Volta and later).
  [[nodiscard]] std::uint32_t local_cycles(std::uint32_t wavefronts) const {
    return path_.stages() ? std::max(wavefronts, data_cycles_of(wavefronts)) : wavefronts;
  }
  /// Cycles that the load-store unit takes to begin any access of a warp.
  [[nodiscard]] std::uint32_t lane_cycles() const { return lane_cycles_; }
  /// Of the launch, by OriginId.
  [[nodiscard]] std::span<const Origin> origins() const { return path_.origins(); }
  /// First line of private memory; kNoPrivateMemory if there is none.
  [[nodiscard]] std::uint64_t private_from() const;

 private:
  struct Step {
    std::int64_t line = 0;  ///< relative to the line of the base
    SectorMask sectors = 0;
    bool first_of_request = false;
  };
  /// What became of a pattern at a place in its line.
  struct Remembered : PatternKey {
    std::uint32_t cycles = 1;
    std::vector<Step> steps;
    StagePlan plan;  ///< plan of the stages, if wavefronts are asked for
    std::uint32_t staged_cycles =
        1;                          ///< cycles of the plan, without requests whose tags are in several lines
    std::uint32_t data_cycles = 1;  ///< cycles of the data stage for the plan's first such request
  };

  void add_sector(LineAddr sector, std::int64_t base_line, std::size_t request, bool first,
                  std::vector<Step>& steps) const;
  void steps_of_lines(std::int64_t base_line, Remembered& out) const;
  void private_words(const WarpAccess& access, const AccessSite& site);
  void plan_stages(const LaneAccesses& lanes, std::uint64_t base, Remembered& out);
  [[nodiscard]] std::uint32_t cycles_of_sectors(std::size_t sectors) const;
  [[nodiscard]] std::uint32_t cycles_of(const StageCounts& counts) const;
  [[nodiscard]] std::uint32_t data_cycles_of(std::uint64_t wavefronts) const;
  std::uint32_t place_in_banks(std::vector<LineLookup>& lines) const;
  void count_stages(const Remembered& found, std::uint64_t base, bool is_private, PreparedAccess& out);
  const Remembered& in_memory(const WarpAccess& access, const AccessSite& site, std::uint64_t address);
  void look_up(const WarpAccess& access, const AccessSite& site, PreparedAccess& out);
  /// Of an atomic access to a buffer that begins at `base`.
  void count_operations(const LanePattern& pattern, std::uint64_t base, PreparedAccess& out) const;

  L1Config l1_;
  AccessPath path_;
  std::uint32_t tag_banks_;  ///< 0: tags are not banked
  std::uint32_t lane_cycles_ = 1;
  int line_shift_;
  LocalBanks banks_;
  std::vector<AccessSite> sites_;
  RememberedPatterns<Remembered> remembered_;
  StageCounts counts_;  ///< counts of the access that is prepared
};

}  // namespace warpscope::timed
