#include "machine/isa/decoder.h"

#include <cstring>

namespace warpscope::machine {
namespace {

bool bit_set(const Instruction& instruction, std::uint8_t bit) {
  return ((bit < 64 ? instruction.low >> bit : instruction.high >> (bit - 64)) & 1) != 0;
}

std::int64_t sign_extended(std::uint64_t value, unsigned width) {
  return static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
}

std::uint16_t memory_value(const Instruction& instruction, const OperandSpec& spec) {
  const auto base =
      static_cast<std::uint16_t>(spec.bit == 0 ? kZeroRegister : instruction.field(spec.bit, 8));
  const bool uniform = spec.uniform_bit != 0 && bit_set(instruction, 91);
  const bool taken = !spec.own_descriptor && !bit_set(instruction, spec.descriptor_bit);
  if (!spec.own_descriptor && !taken)
    return static_cast<std::uint16_t>(base | (instruction.field(spec.uniform_bit, 6) + 1) << 8);
  const auto added = uniform && !taken ? instruction.field(spec.uniform_bit, 6) : std::uint64_t{255};
  return static_cast<std::uint16_t>(base | added << 8);
}

std::int64_t target_of(const Instruction& instruction, const OperandSpec& spec) {
  std::int64_t words = sign_extended(instruction.field(spec.bit, spec.width), spec.width);
  if (spec.has_low_bits) words = words * 256 + static_cast<std::int64_t>(instruction.field(16, 8));
  return words * 4 + (spec.mode == 0 ? instruction.address + std::int64_t{kInstructionBytes} : 0);
}

/// The value, and the instruction's immediate where the operand needs more than 16 bits.
std::uint16_t value_of(Instruction& instruction, const OperandSpec& spec) {
  switch (spec.kind) {
    case OperandKind::Immediate:
      instruction.immediate = static_cast<std::int64_t>(instruction.field(spec.bit, spec.width));
      return 0;
    case OperandKind::Constant:
      return static_cast<std::uint16_t>(instruction.field(38, 16));
    case OperandKind::ConstantIndexed:
      instruction.immediate = sign_extended(instruction.field(38, 16), 16);
      return static_cast<std::uint16_t>(instruction.field(spec.bit, spec.uniform_bit != 0 ? 6 : 8));
    case OperandKind::Target:
      instruction.immediate = target_of(instruction, spec);
      return 0;
    case OperandKind::Memory:
      return memory_value(instruction, spec);
    case OperandKind::SharedMemory:
      return static_cast<std::uint16_t>(
          instruction.field(16, 8) |
          (spec.uniform_bit != 0 ? instruction.field(spec.uniform_bit, 6) : std::uint64_t{255}) << 8);
    case OperandKind::SmallImmediate:
      if (spec.width == 0)
        return static_cast<std::uint16_t>(instruction.field(64, 3) | instruction.field(72, 5) << 3);
      return static_cast<std::uint16_t>(instruction.field(spec.bit, spec.width));
    default:
      break;
  }
  const auto value = static_cast<std::uint16_t>(instruction.field(spec.bit, spec.width));
  return spec.inverted ? static_cast<std::uint16_t>(7 - value) : value;
}

std::uint32_t bits_of(const std::uint64_t (&halves)[2], Extraction::Bits bits) {
  return static_cast<std::uint32_t>(halves[bits.half] >> bits.shift) & bits.mask;
}

Extraction::Bits bits_at(std::uint8_t bit, unsigned mask) {
  if (bit == OperandSpec::kNone) return {};
  return {static_cast<std::uint8_t>(bit / 64), static_cast<std::uint8_t>(bit % 64),
          static_cast<std::uint8_t>(mask)};
}

bool is_simple(const OperandSpec& spec) {
  switch (spec.kind) {
    case OperandKind::Immediate:
    case OperandKind::Target:
    case OperandKind::Memory:
    case OperandKind::SharedMemory:
    case OperandKind::Constant:
    case OperandKind::ConstantIndexed:
      return false;
    default:
      return spec.width != 0 && !spec.inverted && spec.bit % 64 + spec.width <= 64;
  }
}

}  // namespace

std::vector<Extraction> extractions_of(const Row& row) {
  std::vector<Extraction> extractions;
  for (const OperandSpec& spec : row.operands) {
    Extraction one;
    one.kind = spec.kind;
    one.simple = is_simple(spec);
    one.flags = spec.written ? Operand::kWritten : 0;
    one.value = bits_at(spec.bit, 0);
    one.value_mask = static_cast<std::uint16_t>((std::uint64_t{1} << spec.width) - 1);
    one.negate = bits_at(spec.negate, 1);
    one.absolute = bits_at(spec.absolute, 1);
    one.reuse = bits_at(spec.reuse, 1);
    one.part = bits_at(spec.part, 3);
    extractions.push_back(one);
  }
  return extractions;
}

std::int32_t memory_offset(const Instruction& instruction, const OperandSpec& spec) {
  if (spec.offset_bit == 0) return 0;
  return static_cast<std::int32_t>(
      sign_extended(instruction.field(spec.offset_bit, spec.offset_width), spec.offset_width));
}

void Decoder::decode(std::uint64_t low, std::uint64_t high, std::uint32_t address,
                     Instruction& instruction) const {
  const std::uint64_t halves[2] = {low, high};
  instruction.low = low;
  instruction.high = high;
  instruction.address = address;
  instruction.guard = static_cast<std::uint8_t>(low >> 12 & 15);
  for (const Pattern& pattern : table_.candidates(low & 0xfff)) {
    if ((low & pattern.low_mask) != pattern.low_value || (high & pattern.high_mask) != pattern.high_value)
      continue;
    instruction.row = pattern.row;
    instruction.operand_count = static_cast<std::uint8_t>(pattern.operands);
    const Extraction* one = table_.extractions(pattern);
    for (std::size_t slot = 0; slot < pattern.operands; ++slot, ++one) {
      Operand& operand = instruction.operands[slot];
      operand.kind = one->kind;
      operand.flags = static_cast<std::uint8_t>(
          one->flags | bits_of(halves, one->negate) << 1 | bits_of(halves, one->absolute) << 2 |
          bits_of(halves, one->reuse) << 3 | bits_of(halves, one->part) << Operand::kPartShift);
      operand.value =
          one->simple
              ? static_cast<std::uint16_t>(halves[one->value.half] >> one->value.shift & one->value_mask)
              : value_of(instruction, table_.rows()[pattern.row].operands[slot]);
    }
    return;
  }
}

Instruction Decoder::decode(std::uint64_t low, std::uint64_t high, std::uint32_t address) const {
  Instruction instruction;
  decode(low, high, address, instruction);
  return instruction;
}

std::vector<Instruction> Decoder::decode(std::span<const std::uint8_t> code) const {
  std::vector<Instruction> instructions(code.size() / kInstructionBytes);
  for (std::size_t number = 0; number < instructions.size(); ++number) {
    std::uint64_t words[2];
    std::memcpy(words, code.data() + number * kInstructionBytes, sizeof words);
    decode(words[0], words[1], static_cast<std::uint32_t>(number * kInstructionBytes), instructions[number]);
  }
  return instructions;
}

}  // namespace warpscope::machine
