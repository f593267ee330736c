#pragma once
// The control word of an instruction (bits 105 to 125): how the compiler tells the hardware what to wait for. Volta and later.
#include <cstdint>

namespace warpscope::machine {

constexpr std::uint8_t kNoCounter = 7;

struct Control {
  std::uint8_t stall = 0;                   ///< cycles until the next instruction of the warp may issue
  bool yield = false;                       ///< the scheduler should prefer another warp
  std::uint8_t write_counter = kNoCounter;  ///< counter that falls when the results are there, 0 to 5
  std::uint8_t read_counter = kNoCounter;   ///< counter that falls when the operands are read, 0 to 5
  std::uint8_t wait_mask = 0;               ///< counters that have to be 0 before the instruction issues
  std::uint8_t reuse = 0;                   ///< operands A, B, C (bits 0 to 2) that stay in the reuse cache
};

/// From the upper 64 bits of an instruction.
constexpr Control control_of(std::uint64_t high) {
  const auto field = [high](int bit, int width) {
    return static_cast<std::uint8_t>(high >> (bit - 64) & ((1U << width) - 1));
  };
  return {field(105, 4), field(109, 1) == 0, field(110, 3), field(113, 3), field(116, 6), field(122, 4)};
}

}  // namespace warpscope::machine
