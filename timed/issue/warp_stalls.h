#pragma once
// Where the cycles of warps go, under the names that Nsight Compute gives them (smsp__average_warps_issue_stalled_*): every cycle of a
// resident warp is in exactly one of these. Only machine code has them: its instructions, waits and stalls are the GPU's.
#include <array>
#include <cstddef>
#include <cstdint>

namespace warpscope::timed {

/// What a warp did in a cycle: it issued, or why it did not.
enum class WarpStall : std::uint8_t {
  Selected,          ///< issued
  NotSelected,       ///< could issue, another warp did
  Wait,              ///< the stall that the compiler gave to the instruction before
  LongScoreboard,    ///< waits for a counter of an access to global or private memory, or of a texture
  ShortScoreboard,   ///< … of shared memory, constants, special functions, shuffles
  Barrier,           ///< waits for other warps of its work-group
  MathPipeThrottle,  ///< its unit is busy
  MioThrottle,       ///< the queue in front of the L1 is full, its access is to shared memory
  LgThrottle,        ///< … to global or private memory
  BranchResolve,     ///< waits for the target of a branch
  NoInstruction,     ///< its next instruction is not in the instruction cache
  ImcMiss,           ///< a constant that its next instruction has as an operand is not in the constant cache
  DispatchStall,     ///< the dispatcher holds it back: not modelled, 0
  Drain,             ///< has ended, and its accesses have not
};
constexpr std::size_t kWarpStalls = 14;
/// Nsight Compute's name: "long_scoreboard".
const char* name_of(WarpStall stall);

using WarpStallCounts = std::array<std::uint64_t, kWarpStalls>;
inline WarpStallCounts& operator+=(WarpStallCounts& sum, const WarpStallCounts& other) {
  for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += other[s];
  return sum;
}

}  // namespace warpscope::timed
