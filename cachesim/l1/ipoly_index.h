#pragma once
// The remainder of a line number by an irreducible polynomial over GF(2), as set index.
#include <cstdint>
#include <span>

#include "traces/base/types.h"

namespace warpscope {

constexpr std::uint32_t kIpolyMostSets = 4096;

/// Coefficients of the polynomial for `sets`, a power of two from 2 to kIpolyMostSets: bit i is that of x^i.
std::uint32_t ipoly_polynomial(std::uint32_t sets);

/// A SetIndexFunction; `sets` is a power of two from 1 to kIpolyMostSets.
void ipoly_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out);

}  // namespace warpscope
