#pragma once
// Results of parts of a simulation as bytes, and their sum.
#include <cstdint>
#include <span>
#include <vector>

#include "cachesim/simulate/l1_simulator.h"
#include "traces/base/varint.h"

namespace warpscope {

/// Appends everything of a result but `kernels`, which follow from the input. Equal results give equal bytes.
void encode(const SimulationResult& result, std::vector<std::uint8_t>& out);

/// Adds what encode() wrote of the same launches on different cores, and goes behind it in every one of `parts`. `sum`
/// has the launches before, or those of no part, and the sets and the capacity of the same caches. Throws InputError on damage.
void add(std::span<ByteReader> parts, SimulationResult& sum);

}  // namespace warpscope
