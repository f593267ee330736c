#pragma once
// Gives the accesses of machine code to whoever counts them, in the order in which they are executed, without recording them.
#include <cstdint>
#include <vector>

#include "machine/execute/group.h"
#include "traces/stream/pattern_interner.h"
#include "traces/stream/stream.h"
#include "wrapper/machine/access_places.h"
#include "wrapper/machine/group_progress.h"
#include "wrapper/recording/recorder.h"
#include "wrapper/run/capture_launch.h"

namespace warpscope {

/// One launch, on one core.
class AccessStream : public machine::Observer {
 public:
  /// All outlive this. The caller begins and ends `sink`.
  AccessStream(const MachineRun& run, const MachineKernel& kernel, const LaunchObjects& objects,
               GroupProgress& progress, WarpAccessSink& sink);

  void end(machine::Group& group) override;
  void access(const machine::Warp& warp, const machine::Operation& operation, machine::LaneSet lanes,
              const machine::LaneAddresses& addresses) override;
  void copied(const machine::Warp& warp, const machine::Operation& operation, machine::LaneSet lanes,
              const machine::LaneAddresses& addresses) override;
  void fetched(const machine::Warp& warp, const machine::Operation& operation, unsigned number,
               machine::LaneSet lanes, const machine::LaneAddresses& addresses) override;
  void came(const machine::Warp& warp) override;
  void barrier(const machine::Warp& warp, const machine::Operation& operation,
               machine::LaneSet lanes) override;

  /// Executions of each site, and what they access outside of all objects.
  [[nodiscard]] const RecorderTotals& totals() const { return totals_; }

 private:
  /// What a site's accesses had last.
  struct Site {
    PlacedObject object;  ///< that work-items share; without bytes: none
    const PatternInterner::Known* pattern = nullptr;
  };
  void pass_on(const machine::Warp& warp, std::uint32_t site, machine::LaneSet lanes,
               const machine::LaneAddresses& addresses);
  void pass_on_other(WarpAccess access, const machine::Warp& warp, machine::LaneSet lanes,
                     const std::uint64_t* places);
  /// The locations of the lanes in `pattern`, relative to the first one's, which it returns.
  BufferAddr locate(const machine::Warp& warp, std::uint32_t site, const std::uint64_t* places,
                    LanePattern& pattern);
  BufferAddr locate_apart(const machine::Warp& warp, std::uint32_t site, const std::uint64_t* places,
                          LanePattern& pattern);
  void note_outside(const machine::Warp& warp, std::uint32_t site, unsigned lane);

  const MachineKernel& kernel_;
  AccessPlaces places_;
  WarpAccessSink& sink_;
  ObjectMap objects_;
  PatternInterner interner_;
  std::vector<Site> sites_;
  RecorderTotals totals_;
  std::uint64_t events_ = 0;
  GroupProgress& progress_;
};

}  // namespace warpscope
