#include "machine/facts/spills.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

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

std::size_t own_length(const Cubin& cubin, const Function& function) {
  std::uint64_t end = function.is_kernel ? function.offset + function.code.size() : function.offset;
  for (const Function& other : cubin.functions())
    if (other.section == function.section && other.offset > function.offset)
      end = std::min(end, other.offset);
  return (end - function.offset) / kInstructionBytes;
}

SpilledRegisters spilled_registers(const Cubin& cubin, const Function& function) {
  const Decoder decoder(cubin.architecture());
  std::vector<Instruction> code = decoder.decode(function.code.bytes());
  code.resize(std::min(code.size(), own_length(cubin, function)));
  const std::vector<bool> spills = spill_accesses(decoder, code);
  const LineTable& table = cubin.lines();
  const LineSequence* sequence = table.of_section(function.section);
  SpilledRegisters found;
  std::set<std::int32_t> words;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lines;
  for (std::size_t number = 0; number < code.size(); ++number) {
    if (!spills[number]) continue;
    const std::int32_t place = *stack_place(decoder, code[number]);
    const int bytes = effects_of(decoder, code[number]).access_bytes;
    found.bytes += static_cast<std::uint64_t>(bytes);
    for (int byte = 0; byte < bytes; byte += 4) words.insert(place + byte);
    const std::uint64_t address = code[number].address + function.offset;
    const LineRow* row = sequence == nullptr ? nullptr : row_at(*sequence, address);
    if (row != nullptr && row->file < table.files.size()) ++lines[{row->file, row->line}];
  }
  found.registers = static_cast<std::uint32_t>(words.size());
  const auto fewer = [](const auto& one, const auto& other) { return one.second < other.second; };
  if (const auto most = std::max_element(lines.begin(), lines.end(), fewer); most != lines.end()) {
    found.file = table.files[most->first.first];
    found.line = most->first.second;
  }
  return found;
}

}  // namespace warpscope::machine
