#pragma once
// Neighbouring loads of a work-item that become one wide load (--widen).
#include <cstdint>
#include <string>
#include <vector>

#include "traces/capture/reader.h"
#include "whatif/fit.h"

namespace warpscope::whatif {

/// Throws InputError for a place of --widen where no kernel has a load; it lists where there are some.
void check_places(const CaptureReader& capture, const Plan& plan);

/// Finds the loads of one kernel that can be joined. They are loads at one place of --widen, of equal width, in
/// one basic block without a store, atomic, barrier or fence between them; in every execution each is at the
/// end of the one before; and the first of them is at a multiple of the wide load's bytes in every execution.
/// From the lowest offset on, as many are joined as give the widest load: a power of two, at most 16 bytes
/// (that of every GPU since G80: CUDA C Programming Guide, "Device Memory Accesses").
class Join {
 public:
  /// Both must outlive it.
  Join(const KernelInfo& kernel, const Plan& plan);
  void add(const WorkGroupTrace& trace);
  /// Marks in `fits` what is joined, and adds a line to `said` for each wide load. Throws Refused (status 3)
  /// with the source place if nothing is joined at a place where this kernel has executed loads, or if it
  /// reaches an object that moves, too.
  void apply(std::vector<SiteFit>& fits, std::vector<std::string>& said) const;

 private:
  /// Two candidates of a run: how far the second is behind the first, as long as it is always so far.
  struct Pair {
    std::uint32_t first, second;  ///< indices into the run's sites
    bool known = false;
    std::int64_t distance = 0;  ///< bytes
  };
  /// Loads of a place in a block between two stores or barriers.
  struct Run {
    const Change* place;
    std::vector<SiteId> sites;        ///< sites in program order
    std::vector<std::uint64_t> bits;  ///< bitwise or of each site's offsets
    std::vector<Pair> pairs;          ///< pairs that have kept one distance so far
    bool executed = false;
  };
  [[nodiscard]] std::vector<WideLoad> wide_loads(const Run& run) const;
  [[nodiscard]] std::string why_not(const Run& run) const;
  void add_runs(const Change& place, const BlockInfo& block);
  void mark(const WideLoad& wide, const Change& place, std::vector<SiteFit>& fits,
            std::vector<std::string>& said) const;
  [[noreturn]] void refuse(SiteId site, const std::string& why) const;

  const KernelInfo& kernel_;
  std::vector<Run> runs_;
};

}  // namespace warpscope::whatif
