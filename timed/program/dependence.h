#pragma once
// How much of the latency of its own instructions a warp waits for: what depends on what within a block.
#include <cstdint>

#include "timed/config/config.h"
#include "traces/program/kernel_info.h"

namespace warpscope::timed {

/// Cycles from an instruction to the next of its warp, over its latency, in `block`: 1 where every instruction needs the one before,
/// 1 / config.independent where that is given. Otherwise the latencies of the block's longest chain over those of all its
/// instructions, memory's not counted: a compiler that knows the latencies puts something else between the links of a chain. Of
/// `iterations` that are one body each but the first adds one link, what they hand on. Blocks that divide or take a square root of fp32 are
/// a chain: nvcc 13.0 branches behind each of these to a slow way for values out of range, and nothing is moved across
/// (validation/notes/h100.md). 1/2 where the capture has no chains.
double exposed_latency(const BlockInfo& block, std::uint32_t iterations, const IssueConfig& config);

}  // namespace warpscope::timed
