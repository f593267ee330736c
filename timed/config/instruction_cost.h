#pragma once
// What the instructions of a capture cost on a GPU, by class.
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace warpscope::timed {

/// Execution units of a scheduler. Those behind Memory take machine code only; `Heavy`: the one of two pipes for fp32 that also multiplies
/// integers, where Float is either. `None`: takes no issue slot (phi).
enum class Unit : std::uint8_t {
  Int,
  Float,
  Double,
  Special,
  Control,
  Memory,
  Heavy,
  Half,
  Uniform,
  Tensor,
  None
};
constexpr std::size_t kUnits = 10;  ///< without None

/// Cost of one class for one warp; the fields are those of instruction_class.def.
struct InstructionCost {
  Unit unit = Unit::Int;
  std::uint32_t instructions = 1;
  std::uint32_t latency = 4;   ///< cycles
  std::uint32_t interval = 2;  ///< cycles
};

struct InstructionClass {
  const char* name;
  InstructionCost cost;  ///< default
};
std::span<const InstructionClass> instruction_classes();
constexpr std::size_t kInstructionClasses = 33;
/// Index into instruction_classes(); unknown names (of newer captures) are "other".
std::size_t instruction_class_named(const std::string& name);

using CostTable = std::array<InstructionCost, kInstructionClasses>;
CostTable default_costs();
/// Nothing but memory instructions takes an issue slot, and those can follow each other cycle by cycle.
CostTable zero_costs();

}  // namespace warpscope::timed
