#pragma once
// From a decoded instruction to an operation: what the families of instructions (operations/) have in common.
#include <string_view>

#include "machine/execute/code.h"

namespace warpscope::machine {

class Translation {
 public:
  Translation(Code& code, const Instruction& instruction, Operation& operation)
      : code_(code),
        instruction_(instruction),
        row_(code.decoder().row(instruction)),
        operation_(operation) {}

  [[nodiscard]] std::string_view name() const { return row_.name; }
  [[nodiscard]] const Row& row() const { return row_; }
  [[nodiscard]] const Instruction& instruction() const { return instruction_; }
  [[nodiscard]] Operation& operation() { return operation_; }
  [[nodiscard]] Code& code() { return code_; }
  [[nodiscard]] std::uint32_t bits(unsigned bit, unsigned width) const {
    return static_cast<std::uint32_t>(instruction_.field(bit, width));
  }
  [[nodiscard]] bool has(unsigned bit) const { return bits(bit, 1) != 0; }
  [[nodiscard]] const Operand& operand(std::size_t slot) const { return instruction_.operands[slot]; }
  [[nodiscard]] unsigned form() const { return row_.opcode >> 9 & 7U; }

  /// The operand of a slot as 32 or as 64 bits of an integer or a bit pattern.
  Source integer(std::size_t slot);
  Source wide_integer(std::size_t slot, bool is_signed);
  /// As a real number of 32 or 64 bits, or as packed halves.
  Source real(std::size_t slot);
  Source wide_real(std::size_t slot);
  /// A register, or a small number in the word.
  Source small(std::size_t slot);
  /// One or two registers as they are.
  Source words(std::size_t slot, unsigned count);
  Source constant(std::uint32_t value);
  PredicateSource predicate(std::size_t slot) const;
  /// The address of a memory operand: operation.a (a pair if operation.bits has kWideRegister), operation.b (uniform), operation.offset.
  void address(std::size_t slot);
  /// Where a result goes: of `count` registers.
  void result(std::size_t slot, std::uint8_t count = 1);
  void writes_predicate(unsigned which, std::size_t slot);
  /// A register by its number, for operands that the notation hides.
  [[nodiscard]] Source of_register(unsigned number) const;

  /// It is executed by `run`. False from a family's function: the name, or this form of it, is not its own.
  bool is(Execute run) {
    operation_.run = run;
    return !cannot_;
  }

 private:
  Source place_of(std::size_t slot);

  Code& code_;
  const Instruction& instruction_;
  const Row& row_;
  Operation& operation_;
  bool cannot_ = false;  ///< an operand is of a kind that is not executed
};

/// The families: true if the instruction is one of theirs and was translated.
bool translate_integer(Translation& t);
bool translate_parts(Translation& t);
bool translate_logic(Translation& t);
bool translate_single(Translation& t);
bool translate_double(Translation& t);
bool translate_half(Translation& t);
bool translate_special(Translation& t);
bool translate_conversion(Translation& t);
bool translate_move(Translation& t);
bool translate_exchange(Translation& t);
bool translate_memory(Translation& t);
bool translate_atomic(Translation& t);
bool translate_copy(Translation& t);
bool translate_barrier(Translation& t);
bool translate_bulk(Translation& t);
bool translate_tensor_map(Translation& t);
bool translate_tensor(Translation& t);
bool translate_sparse(Translation& t);
bool translate_warp_group(Translation& t);
bool translate_texture(Translation& t);
bool translate_surface(Translation& t);
bool translate_flow(Translation& t);

}  // namespace warpscope::machine
