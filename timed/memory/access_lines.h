#pragma once
// From one warp access to the look-ups of the L1: where it goes, which sectors of which lines, how many
// cycles it takes the L1. The same rules as cachesim/transactions/coalescing_sink.h, one access at a time.
#include <cstdint>
#include <optional>
#include <vector>

#include "cachesim/access/access_stages.h"
#include "cachesim/access/coalescer.h"
#include "cachesim/access/private_memory.h"
#include "cachesim/transactions/origin.h"
#include "timed/config/config.h"
#include "timed/memory/l1.h"
#include "traces/program/layout.h"
#include "traces/stream/stream.h"
#include "traces/stream/warp_access.h"

namespace warpscope::timed {

struct LineLookup {
  LineAddr line;
  SectorMask sectors = 0;
  bool first_of_request = false;
  std::uint32_t wavefront = 0;  ///< of the tag stage, counted from the access's first; never falls
};

struct PreparedAccess {
  OriginId origin;
  AccessKind kind = AccessKind::Load;
  Destination destination = Destination::L1;
  std::uint32_t lanes = 0;
  std::uint32_t cycles = 1;  ///< that it takes the L1 at least; local memory: its banks
  std::vector<LineLookup> lines;
};

class AccessLines {
 public:
  /// `header` outlives this.
  AccessLines(const StreamHeader& header, const TimedConfig& config);
  void begin_launch(const LaunchInfo& launch);
  /// Fills `out`. The line numbers of lanes in several buffers are not kept apart by buffer: the first lane's
  /// counts.
  void prepare(const WarpAccess& access, PreparedAccess& out);
  /// Of the launch, by OriginId.
  [[nodiscard]] std::span<const Origin> origins() const { return origins_.origins(); }
  /// First line of private memory; kNoPrivateMemory where there is none.
  [[nodiscard]] std::uint64_t private_from() const { return private_from_; }

 private:
  struct Site {
    AccessKind kind = AccessKind::Load;
    AddressSpace space = AddressSpace::Global;
    PlannedDestination planned;
    std::uint32_t width = 0, alignment = 1, shape = 0;
    std::uint32_t last_buffer = ~0u;
    OriginId last_origin;
  };
  struct Step {
    std::int64_t line = 0;  ///< relative to the line of the base
    SectorMask sectors = 0;
    bool first_of_request = false;
  };
  /// What became of a pattern at a place in its line.
  struct Remembered {
    std::uint32_t pattern = 0, shape = 0, residue = 0, cycles = 1;
    std::vector<Step> steps;
    StagePlan plan;                   ///< where wavefronts are asked for
    std::uint32_t staged_cycles = 1;  ///< of the plan, without requests whose tags lie in several lines
    std::uint32_t data_cycles = 1;    ///< of the data stage for the plan's first such request
  };

  [[nodiscard]] Destination destination_of(const Site& site, BufferId buffer) const;
  OriginId origin_of(Site& site, SiteId id, BufferId buffer, Destination destination);
  void collect_addresses(const WarpAccess& access, std::uint32_t at);
  void coalesce_addresses(const WarpAccess& access, const Site& site);
  void steps_of_lines(std::int64_t base_line, Remembered& out) const;
  void private_words(const WarpAccess& access, const Site& site);
  void plan_stages(const WarpAccess& access, const Site& site, std::uint64_t base, Remembered& out);
  [[nodiscard]] std::uint32_t cycles_of_sectors(std::size_t sectors) const;
  [[nodiscard]] std::uint32_t cycles_of(const StageCounts& counts) const;
  [[nodiscard]] std::uint32_t data_cycles_of(std::uint64_t wavefronts) const;
  std::uint32_t place_in_banks(std::vector<LineLookup>& lines) const;
  void count_stages(const Remembered& found, std::uint64_t base, bool is_private, PreparedAccess& out);
  [[nodiscard]] std::uint32_t bank_cycles(const WarpAccess& access, const Site& site);
  [[nodiscard]] std::uint32_t distinct_offsets(const WarpAccess& access) const;
  const Remembered& in_memory(const WarpAccess& access, const Site& site, std::uint64_t address);

  const StreamHeader& header_;
  const CoalescingRule& rule_;
  std::uint32_t sector_bytes_, data_bytes_;
  BankRules banks_;
  std::optional<AccessStages> stages_;  ///< absent: in order
  std::uint32_t residue_mask_;          ///< what of an address its remembered pattern depends on
  std::uint32_t tag_banks_;             ///< 0: tags are not banked
  int line_shift_, sectors_shift_;
  L1Takes l1_takes_;
  bool sectors_apart_;
  Layout layout_;
  PrivateMemory private_;
  std::uint64_t private_from_ = kNoPrivateMemory;  ///< first line of private memory
  std::vector<AddressSpace> space_of_buffer_;
  std::vector<Site> sites_;
  OriginTable origins_;
  std::vector<Remembered> remembered_;
  Remembered once_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::uint16_t> degrees_;
  std::vector<CoalescedLine> sectors_;
  std::vector<LineAddr> looked_up_;  ///< sectors, by the words of a private access's instruction
  StageCounts counts_;               ///< of the access that is prepared
};

}  // namespace warpscope::timed
