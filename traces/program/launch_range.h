#pragma once
// Launches share nothing where caches are emptied between them, so a run can be cut there.
#include <cstddef>

namespace warpscope {

/// Positions among the launches of a run: from `from` up to, but not including, `to`. The default is all of them.
struct LaunchRange {
  std::size_t from = 0, to = ~std::size_t{0};
  [[nodiscard]] bool has(std::size_t position) const { return position >= from && position < to; }
};

}  // namespace warpscope
