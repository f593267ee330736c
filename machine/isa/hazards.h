#pragma once
// The hazard law: in every basic block, a read after a write, a write after a read and a write after a write of the same register or
// predicate is covered by the cycles between both, or by a counter that the first sets and that is waited for. One wrong bit position in
// control words or operands breaks it.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "machine/isa/effects.h"

namespace warpscope::machine {

enum class HazardKind : std::uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite };

struct Hazard {
  HazardKind kind{};
  std::uint32_t first = 0;  ///< numbers of both instructions
  std::uint32_t second = 0;
  std::uint16_t place = 0;   ///< 0 to 254 registers; kUniform, kPredicate, kUniformPredicate and up
  std::uint32_t cycles = 0;  ///< between the issues of both, by the stalls alone
  bool is_counted = false;   ///< a counter covers it
  bool is_missed = false;    ///< the first sets a counter that nothing waits for

  static constexpr std::uint16_t kUniform = 256;
  static constexpr std::uint16_t kPredicate = 320;
  static constexpr std::uint16_t kUniformPredicate = 328;
  static constexpr std::uint16_t kPlaces = 336;
};

using ControlReader = std::function<Control(const Instruction&)>;

/// All hazards within the basic blocks of a function. Not counted are: predicates and uniform registers that a later instruction writes
/// (they are read at issue), two instructions of a queue that keeps their order (memory, textures, special functions, double precision), and
/// instructions of which only one can execute (@P0, @!P0). Reads after writes are counted always.
std::vector<Hazard> hazards(
    const Decoder& decoder, std::span<const Instruction> code,
    const ControlReader& control = [](const Instruction& one) { return one.control(); });

}  // namespace warpscope::machine
