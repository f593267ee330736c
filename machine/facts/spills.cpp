#include "machine/facts/spills.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "machine/isa/effects.h"

namespace warpscope::machine {
namespace {

constexpr std::uint16_t kStackPointer = 1;
constexpr std::uint64_t kLastUse = 3;  // of the field .{evict}84

/// c of [R1+c], of an LDL or STL; absent for other addresses and other instructions.
std::optional<std::int32_t> stack_place(const Decoder& decoder, const Instruction& one) {
  if (!one.is_known()) return std::nullopt;
  const Row& row = decoder.row(one);
  if (row.name != "LDL" && row.name != "STL") return std::nullopt;
  for (std::size_t slot = 0; slot < one.operand_count; ++slot) {
    const Operand& operand = one.operands[slot];
    if (operand.kind == OperandKind::Memory && (operand.value & 0xff) == kStackPointer)
      return memory_offset(one, row.operands[slot]);
  }
  return std::nullopt;
}

/// Whether the instruction makes an address on the stack, or keeps the pointer elsewhere.
bool passes_stack_pointer(const Decoder& decoder, const Instruction& one) {
  if (!one.is_known() || stack_place(decoder, one)) return false;
  const Effects effects = effects_of(decoder, one);
  return effects.reads.registers[kStackPointer] && !effects.writes.registers[kStackPointer];
}

}  // namespace

std::vector<bool> spill_accesses(const Decoder& decoder, std::span<const Instruction> code) {
  std::int32_t first = std::numeric_limits<std::int32_t>::min();
  if (std::any_of(code.begin(), code.end(),
                  [&](const Instruction& one) { return passes_stack_pointer(decoder, one); })) {
    first = std::numeric_limits<std::int32_t>::max();
    for (const Instruction& one : code)
      if (const auto place = stack_place(decoder, one);
          place && decoder.row(one).name == "LDL" && one.field(84, 3) == kLastUse)
        first = std::min(first, *place);
  }
  std::vector<bool> found;
  found.reserve(code.size());
  for (const Instruction& one : code) {
    const auto place = stack_place(decoder, one);
    found.push_back(place && *place >= first);
  }
  return found;
}

}  // namespace warpscope::machine
