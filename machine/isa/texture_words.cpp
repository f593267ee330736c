#include "machine/isa/texture_words.h"

#include <bit>

namespace warpscope::machine {
namespace {

constexpr unsigned kFirstOperand = 24, kSecondOperand = 32, kResult = 16, kFurtherResult = 64;

/// Opcodes with the handle in a register have no uniform register, and no place of a constant.
bool has_register_handle(const Row& row) {
  return (row.opcode >> 9U & 7U) == 1;
}

unsigned words_of_level(const Row& row, const Instruction& instruction) {
  static constexpr unsigned kWords[] = {0, 0, 1, 1, 1, 2, 0, 0};  // by the field `lod`
  return row.name == "TEX" || row.name == "TLD" ? kWords[instruction.field(87, 3)] : 0;
}

/// Bytes of a lane in registers, by the type of SURED.
unsigned registers_of_type(const Instruction& instruction) {
  static constexpr unsigned kRegisters[] = {1, 1, 2, 1, 1, 2, 1, 2};
  return kRegisters[instruction.field(73, 3)];
}

unsigned surface_registers(const Row& row, const Instruction& instruction, const OperandSpec& spec) {
  static constexpr unsigned kSizes[] = {1, 1, 1, 1, 1, 2, 4, 4};
  if (spec.bit != kResult && spec.bit != kSecondOperand) return 1;
  if (row.name == "SURED") return registers_of_type(instruction);
  return spec.count != 0 ? spec.count : kSizes[instruction.field(73, 3)];
}

}  // namespace

TextureWords texture_words(const Row& row, const Instruction& instruction) {
  static constexpr unsigned kDimensions[] = {1, 2, 3, 3, 1, 2, 1, 3};
  TextureWords words;
  if (row.name == "TXQ") {
    words.first = has_register_handle(row) ? 2 : 1;
    if (has_register_handle(row)) words.handle = 0;
    return words;
  }
  const auto shape = static_cast<unsigned>(instruction.field(61, 3));
  const bool has_layer = shape >= 4;
  words.dimensions = kDimensions[shape];
  if (row.name == "TXD") {
    if (has_register_handle(row)) words.handle = words.first++;
    words.coordinates = words.first;
    words.first += words.dimensions;
    if (has_layer) words.layer = words.first++;
    words.second = 2 * words.dimensions;
    words.gradients = words.first;
    return words;
  }
  if (has_layer) words.layer = 0;
  words.coordinates = has_layer ? 1 : 0;
  const unsigned before = words.coordinates + words.dimensions;
  unsigned all = before;
  if (has_register_handle(row)) words.handle = all++;
  constexpr std::uint64_t kLevel = 3;
  const bool has_level = row.name == "TEX" || row.name == "TLD";
  if (has_level && instruction.field(87, 3) == kLevel) words.level = all;
  all += words_of_level(row, instruction);
  const bool is_gather = row.name == "TLD4";
  const auto offsets = static_cast<unsigned>(instruction.field(76, is_gather ? 2 : 1));
  if (row.name != "TMML" && offsets == 1) words.offset = all;
  if (row.name != "TMML") all += offsets + static_cast<unsigned>(instruction.field(78, 1));
  // .SCR: half of them in each operand; else the second one has what is no coordinate.
  words.first = instruction.field(60, 1) != 0 ? (all + 1) / 2 : before;
  words.second = all - words.first;
  return words;
}

unsigned texture_registers(const Row& row, const Instruction& instruction, const OperandSpec& spec) {
  if (row.name.starts_with("SU")) return surface_registers(row, instruction, spec);
  const auto channels = static_cast<unsigned>(std::popcount(instruction.field(72, 4)));
  if (spec.bit == kResult) return channels < 2 ? channels : 2;
  if (spec.bit == kFurtherResult) return channels < 2 ? 0 : channels - 2;
  const TextureWords words = texture_words(row, instruction);
  if (spec.bit == kFirstOperand) return words.first;
  return spec.bit == kSecondOperand ? words.second : 1;
}

}  // namespace warpscope::machine
