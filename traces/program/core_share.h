#pragma once
// Cores of a GPU share nothing in a fixed order, so threads of this machine can take some each.
#include <cstdint>

#include "traces/base/types.h"

namespace warpscope {

/// The cores whose number leaves `number` when divided by `of`; number < of. The default is all of them.
struct CoreShare {
  std::uint32_t number = 0, of = 1;
  [[nodiscard]] bool has(CoreId core) const { return core.value() % of == number; }
};

}  // namespace warpscope
