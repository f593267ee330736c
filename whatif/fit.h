#pragma once
// Whether the accesses of a capture fit the new layout, and what becomes of every memory instruction.
#include <map>
#include <optional>
#include <vector>

#include "traces/capture/reader.h"
#include "whatif/plan.h"

namespace warpscope::whatif {

/// A part of an access that stays in one piece, bytes.
struct Piece {
  std::uint32_t start = 0;  ///< distance from the begin of the access
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;  ///< alignment that holds for every execution
};

/// A load that takes the places of several (join.h).
struct WideLoad {
  std::vector<SiteId> sites;  ///< sites that it replaces, in ascending order of their offsets
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
};

/// What becomes of a site: one instruction per piece, in this order. One piece: it stays one instruction.
struct SiteFit {
  std::vector<Piece> pieces;       ///< empty: never executed
  bool moves = false;              ///< whether some access is to an object that moves
  bool bypasses = false;           ///< whether all accesses are to objects that bypass the L1
  bool read_only = false;          ///< whether all accesses are to objects that became read-only
  bool joined = false;             ///< a part of another site's wide load: no instruction is left
  std::optional<WideLoad> wide{};  ///< this site becomes it
};

/// By KernelInfo object (launches share it), then by site.
using KernelFits = std::map<const void*, std::vector<SiteFit>>;

/// Reads the whole capture. Throws Refused (status 3) with the source place: an access that the new layout
/// has no place for; a site whose executions would split differently; a pointer that is loaded from an object
/// that moves and used as an address in it; a site that also reaches objects that do not bypass; loads that
/// cannot be widened. Says in `plan` which loads become wide ones.
KernelFits fit(const CaptureReader& capture, Plan& plan);

}  // namespace warpscope::whatif
