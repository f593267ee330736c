#pragma once
// What of a kernel those follow that look for races and other faults, flattened once per kernel.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/program/kernel_info.h"

namespace warpscope {

constexpr std::uint32_t kCudaWarp = 32;

/// How an access takes part in races.
enum class RaceKind : std::uint8_t { Load, VolatileLoad, Store, Atomic };

/// Whether two unordered accesses to a byte by two work-items are a race: at least one writes, and they are not both
/// atomic. A volatile load next to an atomic is none: programs poll so.
constexpr bool conflict(RaceKind a, RaceKind b) {
  if (a == RaceKind::Store || b == RaceKind::Store) return true;
  return (a == RaceKind::Load && b == RaceKind::Atomic) || (a == RaceKind::Atomic && b == RaceKind::Load);
}

/// Whether other work-groups see what a site does as that of a plain access: its scope is the work-group.
bool is_of_group(const SiteInfo& site);

struct RacePlan {
  enum class Step : std::uint8_t { Access, Barrier, Meeting, Fence };
  enum class Spaces : std::uint8_t { Local, All };
  static constexpr std::uint32_t kWholeGrid = ~std::uint32_t{0};
  struct Event {
    Step step = Step::Access;
    std::uint32_t index = 0;  ///< access: index in `sites`; barrier: id of its site, kWholeGrid of a launch's
    LaneMask mask = 0;        ///< mask of the meeting
  };
  /// Sites that may access these spaces.
  struct Site {
    SiteId id;
    RaceKind kind = RaceKind::Load;
    std::uint32_t width = 1;
  };

  std::vector<Event> events;
  std::vector<std::uint32_t> first_event;  ///< first event of each block, and the end
  std::vector<Site> sites;
  std::uint32_t granule = 1;  ///< bytes: every access begins and ends at a multiple of it
  bool meets = false;         ///< the kernel has warp functions, so its warps have 32 lanes
  /// By id of a barrier's site: barriers of parts of a work-group. Empty where it is not known of all of them which they are.
  std::map<std::uint32_t, NamedBarrier> named;
  bool has_unknown_barriers = false;  ///< of some it is not known
  bool has_fences = false;  ///< some work-item may order its global accesses for others (Spaces::All)
  std::string not_checked;  ///< why the kernel cannot be checked; empty if it can

  explicit RacePlan(const KernelInfo& kernel, Spaces spaces = Spaces::Local);
  /// Lanes of a warp as races count them; `warp_size`: where nothing else is known.
  [[nodiscard]] std::uint32_t lanes(std::uint32_t warp_size) const {
    return meets || !named.empty() ? kCudaWarp : warp_size;
  }
  /// Whether two accesses to local memory can conflict at all.
  [[nodiscard]] bool can_race() const;

 private:
  void add_block(const KernelInfo& kernel, const BlockInfo& block, const std::vector<std::uint32_t>& index_of,
                 Spaces spaces);
};

}  // namespace warpscope
