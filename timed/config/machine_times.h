#pragma once
// What the GPU's own instructions take beyond what their control words say: rates of the units, latencies of results that a counter
// announces. Only these need a table; fixed latencies are the compiler's stalls.
#include <cstdint>

#include "timed/config/fetch_times.h"

namespace warpscope::timed {

/// Intervals: cycles for which one instruction of a warp occupies its scheduler's unit. Latencies: from issue to the counter's fall.
struct MachineTimes {
  bool issues = true;  ///< false: machine code is issued like other captures, by classes of instructions
  /// Two pipes of 16 lanes for fp32, of which one also multiplies integers (GA10x and later); else one takes both.
  bool has_two_fma_pipes = false;
  bool half_takes_fma_pipes = false;  ///< pairs of halves occupy both of them
  bool double_shares_port =
      false;  ///< with the tensor core and the pipe of halves: no two of them start together
  std::uint32_t alu_interval = 2, fma_interval = 2, half_interval = 2, double_interval = 4,
                special_interval = 8, uniform_interval = 2, branch_interval = 2, memory_interval = 1;
  std::uint32_t special_latency = 18;   ///< MUFU and conversions
  std::uint32_t double_latency = 8;     ///< where doubles set a counter
  std::uint32_t mio_latency = 23;       ///< shuffles, S2R, votes that set a counter: what has no address
  std::uint32_t constant_latency = 27;  ///< LDC
  std::uint32_t operand_latency = 10;   ///< from issue until an access has read its registers, queue empty
  std::uint32_t barrier_latency = 0;    ///< from the last arrival to the next instruction
  std::uint32_t branch_latency = 0;     ///< from a branch that is taken to the next instruction, at least
  std::uint32_t store_latency =
      0;  ///< from issue until a store has reached the L2: a warp that has ended waits for it
  /// From the end of a work-group, its stores included, to the next one's first issue; also from the start of a launch, with the core active.
  std::uint32_t group_start_latency = 100;
  std::uint32_t cold_cycles =
      0;  ///< what the first instructions of a launch take longer on each core: caches of code and constants are empty
  /// Accesses of a scheduler's warps that are in its memory queue until the core's unit has taken them; 0: only that unit has a queue.
  std::uint32_t memory_queue_entries = 0, published_memory_queue_entries = 0;
  FetchTimes fetch;
  FetchTimes published_fetch;  ///< of the architecture; `fetch` has what is simulated of it
  /// Multiplications per cycle of a scheduler's tensor core, as mma.sync reaches them; 0: not known, a product takes one cycle.
  double tensor_half_products = 0, tensor_double_products = 0;
  double tensor_single_sum_products = 0;  ///< of halves whose sums are in 32 bits; 0: as many
};

}  // namespace warpscope::timed
