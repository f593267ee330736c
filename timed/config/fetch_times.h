#pragma once
// The caches from which a core's instructions and constants come. Only machine code has them: where its operands c[bank][offset] and its
// instructions are is known.
#include <cstdint>

namespace warpscope::timed {

/// Zero bytes: whatever is asked for is there. Cycles are those that a miss takes longer than a hit.
struct FetchTimes {
  // Constants: lines of 64 bytes.
  std::uint32_t constant_l0_bytes = 0;   ///< of each scheduler, for operands of instructions without LDC
  std::uint32_t constant_l0_cycles = 0;  ///< what the next level has
  std::uint32_t constant_l1_bytes = 0;   ///< of the core, for LDC
  std::uint32_t constant_l1_cycles = 0;
  // Instructions: lines of 128 bytes, which are eight instructions.
  std::uint32_t instruction_l0_bytes = 0;   ///< of each scheduler
  std::uint32_t instruction_l0_cycles = 0;  ///< what the L1 of instructions has
  std::uint32_t instruction_l1_bytes = 0;   ///< of the core
  std::uint32_t instruction_l1_cycles = 0;  ///< more, for what only the L2 has
  /// What the first instructions of a launch need is there when they issue: its time is in MachineTimes::cold_cycles.
  bool starts_warm = false;
  void take_constants(const FetchTimes& from) {
    constant_l0_bytes = from.constant_l0_bytes;
    constant_l0_cycles = from.constant_l0_cycles;
    constant_l1_bytes = from.constant_l1_bytes;
    constant_l1_cycles = from.constant_l1_cycles;
  }
  void take_instructions(const FetchTimes& from) {
    instruction_l0_bytes = from.instruction_l0_bytes;
    instruction_l0_cycles = from.instruction_l0_cycles;
    instruction_l1_bytes = from.instruction_l1_bytes;
    instruction_l1_cycles = from.instruction_l1_cycles;
  }
  [[nodiscard]] bool has_caches() const {
    return constant_l0_bytes != 0 || constant_l1_bytes != 0 || instruction_l0_bytes != 0;
  }
};

}  // namespace warpscope::timed
