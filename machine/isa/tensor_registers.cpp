#include "machine/isa/tensor_registers.h"

namespace warpscope::machine {
namespace {

/// D = A B + C: A has rows x depth elements, B depth x 8, C and D rows x 8.
struct Shape {
  unsigned rows = 16;
  unsigned depth = 0;
  unsigned bits = 16;      ///< of an element of A and B
  unsigned sum_bits = 32;  ///< of an element of C and D
  bool is_sparse = false;  ///< A holds half of its elements; the next operand tells which
};

unsigned registers_of(const Shape& shape, std::size_t slot) {
  constexpr unsigned kBits = 32 * 32;  // one register of each lane
  switch (slot) {
    case 0:
    case 3:
      return shape.rows * 8 * shape.sum_bits / kBits;
    case 1:
      return shape.rows * shape.depth * shape.bits / kBits / (shape.is_sparse ? 2 : 1);
    case 2:
      return 8 * shape.depth * shape.bits / kBits;
    default:
      return 1;
  }
}

unsigned bits_of_sum(const Instruction& instruction, unsigned bit) {
  return instruction.field(bit, 1) != 0 ? 32 : 16;
}

Shape half_shape(const Instruction& instruction) {
  static constexpr unsigned kDense[] = {8, 16, 4, 8};
  static constexpr unsigned kSparse[] = {8, 16, 16, 32};
  const std::uint64_t shape = instruction.field(78, 1) << 1 | instruction.field(75, 1);
  const bool is_sparse = instruction.field(73, 1) != 0;
  const bool is_tf32 = instruction.field(82, 2) == 2;
  return {16, (is_sparse ? kSparse : kDense)[shape], is_tf32 ? 32U : 16U, bits_of_sum(instruction, 76),
          is_sparse};
}

Shape integer_shape(const Instruction& instruction) {
  static constexpr unsigned kDense[] = {16, 16, 32, 32, 16, 32, 64, 64};
  static constexpr unsigned kSparse[] = {32, 32, 32, 64, 32, 32, 64, 128};
  const std::uint64_t shape = instruction.field(85, 2) << 1 | instruction.field(75, 1);
  const bool is_sparse = instruction.field(72, 1) != 0;
  return {shape < 4 ? 8U : 16U, (is_sparse ? kSparse : kDense)[shape],
          instruction.field(83, 1) != 0 ? 4U : 8U, 32, is_sparse};
}

Shape bit_shape(const Instruction& instruction) {
  static constexpr unsigned kDepths[] = {128, 128, 256, 256};
  const std::uint64_t shape = instruction.field(75, 2);
  return {shape == 0 ? 8U : 16U, kDepths[shape], 1, 32, false};
}

Shape double_shape(const Row& row, const Instruction& instruction) {
  static constexpr unsigned kDepths[] = {4, 4, 8, 16};
  const std::uint64_t shape = row.since < 90 ? 0 : instruction.field(76, 2);
  return {shape == 0 ? 8U : 16U, kDepths[shape], 64, 64, false};
}

Shape byte_shape(const Instruction& instruction) {
  static constexpr unsigned kDepths[] = {16, 32, 64, 64};
  return {16, kDepths[instruction.field(75, 2)], 8, bits_of_sum(instruction, 77),
          instruction.field(76, 1) != 0};
}

unsigned group_registers(const Row& row, const Instruction& instruction, std::size_t slot) {
  const bool has_registers_of_a = (row.opcode & 0x400U) != 0;
  if (slot == 1) return 4;  // A, where it is in registers
  if (slot != 0 && slot != (has_registers_of_a ? 3U : 2U)) return 1;
  const bool is_half = (row.name == "HGMMA" || row.name == "QGMMA") && instruction.field(75, 1) == 0;
  return group_columns(row, instruction) / (is_half ? 4 : 2);
}

}  // namespace

unsigned group_columns(const Row& row, const Instruction& instruction) {
  const auto number = static_cast<unsigned>(instruction.field(53, 5));
  if (row.name == "HGMMA" || row.name == "QGMMA") return 8 * (number + 1);
  const auto step = row.name == "IGMMA" ? static_cast<unsigned>(instruction.field(53, 6)) / 3 : number;
  return step < 4 ? 8 * (step + 1) : 16 * (step - 1);
}

unsigned tensor_registers(const Row& row, const Instruction& instruction, std::size_t slot) {
  if (row.name.ends_with("GMMA")) return group_registers(row, instruction, slot);
  if (row.name == "DMMA") return registers_of(double_shape(row, instruction), slot);
  if (row.name == "IMMA") return registers_of(integer_shape(instruction), slot);
  if (row.name == "BMMA") return registers_of(bit_shape(instruction), slot);
  if (row.name == "QMMA") return registers_of(byte_shape(instruction), slot);
  if (row.opcode != 0x236) return registers_of(half_shape(instruction), slot);
  return 2;  // HMMA.884: each of its steps writes a pair
}

}  // namespace warpscope::machine
