#include "timed/config/instruction_cost.h"

namespace warpscope::timed {
namespace {

#define INSTRUCTION_CLASS(name, unit, instructions, latency, interval) \
  InstructionClass{name, {Unit::unit, instructions, latency, interval}},
constexpr std::array kClasses = {
#include "timed/config/instruction_class.def"
};
#undef INSTRUCTION_CLASS
static_assert(kClasses.size() == kInstructionClasses);

}  // namespace

std::span<const InstructionClass> instruction_classes() {
  return kClasses;
}

std::size_t instruction_class_named(const std::string& name) {
  std::size_t other = 0;
  for (std::size_t c = 0; c < kClasses.size(); ++c) {
    if (name == kClasses[c].name) return c;
    if (std::string("other") == kClasses[c].name) other = c;
  }
  return other;
}

CostTable default_costs() {
  CostTable table;
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = kClasses[c].cost;
  return table;
}

CostTable zero_costs() {
  CostTable table = default_costs();
  for (InstructionCost& cost : table) {
    if (cost.unit != Unit::Memory) cost = {Unit::None, 0, 0, 0};
  }
  return table;
}

}  // namespace warpscope::timed
