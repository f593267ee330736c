#pragma once
// A decoded instruction: 64 bytes, so that programs of millions of them fit. What depends on the row of the table (modifiers, names) is
// looked up there.
#include <array>
#include <cstdint>

#include "machine/isa/control.h"

namespace warpscope::machine {

constexpr std::uint64_t kInstructionBytes = 16;
constexpr std::uint8_t kZeroRegister = 255;        ///< RZ
constexpr std::uint8_t kZeroUniformRegister = 63;  ///< URZ
constexpr std::uint8_t kTruePredicate = 7;         ///< PT, UPT

enum class OperandKind : std::uint8_t {
  None,
  Register,          ///< value: R0 to R254, 255 = RZ
  UniformRegister,   ///< value: UR0 to UR62, 63 = URZ
  Predicate,         ///< value: P0 to P6, 7 = PT
  UniformPredicate,  ///< value: UP0 to UP6, 7 = UPT
  Immediate,         ///< Instruction::immediate
  SmallImmediate,    ///< value
  Constant,          ///< c[Instruction::bank()][value]
  ConstantIndexed,   ///< c[Instruction::bank()][index register + Instruction::immediate]; value: the register
  Memory,            ///< value: register, and uniform register << 8 (255: none); offset: memory_offset()
  SharedMemory,      ///< the address that LDGSTS writes, as Memory
  Target,            ///< Instruction::immediate: an address in the same section
  Barrier,           ///< value: convergence barrier B0 to B15
  Counter,           ///< value: counter SB0 to SB5 of DEPBAR
  CounterSet,        ///< value: a bit for each further counter that DEPBAR waits for
  Signs,             ///< value: FSWZADD's sign of each lane of eight
  Named,             ///< value: of a table of names (special registers, shapes of textures)
};

struct Operand {
  static constexpr std::uint8_t kWritten = 1;
  static constexpr std::uint8_t kNegated = 2;  ///< minus, not (predicates) or bitwise complement (logic)
  static constexpr std::uint8_t kAbsolute = 4;
  static constexpr std::uint8_t kReuse = 8;
  static constexpr int kPartShift = 4;

  OperandKind kind = OperandKind::None;
  std::uint8_t flags = 0;
  std::uint16_t value = 0;

  [[nodiscard]] bool is_written() const { return (flags & kWritten) != 0; }
  [[nodiscard]] bool is_negated() const { return (flags & kNegated) != 0; }
  [[nodiscard]] bool is_absolute() const { return (flags & kAbsolute) != 0; }
  [[nodiscard]] bool is_reused() const { return (flags & kReuse) != 0; }
  /// Of packed halves: 0 both, 1 .F32, 2 .H0_H0, 3 .H1_H1. Of bytes and halves of a conversion: its number.
  [[nodiscard]] std::uint8_t part() const { return static_cast<std::uint8_t>(flags >> kPartShift); }
};

struct Instruction {
  static constexpr std::uint16_t kUnknown = 0xffff;
  static constexpr std::size_t kOperands = 8;
  static constexpr std::uint8_t kGuardNegated = 8;

  std::uint64_t low = 0;   ///< the word's bits 0 to 63
  std::uint64_t high = 0;  ///< 64 to 127
  std::int64_t immediate = 0;
  std::uint16_t row = kUnknown;  ///< in the table of instructions
  std::uint8_t guard = kTruePredicate;
  std::uint8_t operand_count = 0;
  std::uint32_t address = 0;  ///< in its section
  std::array<Operand, kOperands> operands{};

  [[nodiscard]] bool is_known() const { return row != kUnknown; }
  [[nodiscard]] Control control() const { return control_of(high); }
  [[nodiscard]] std::uint8_t guard_predicate() const { return guard & 7; }
  [[nodiscard]] bool guard_is_negated() const { return (guard & kGuardNegated) != 0; }
  /// `width` bits from `bit` on, at most 64.
  [[nodiscard]] std::uint64_t field(unsigned bit, unsigned width) const {
    const std::uint64_t bits = bit >= 64  ? high >> (bit - 64)
                               : bit == 0 ? low
                                          : low >> bit | high << (64 - bit);
    return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  }
  [[nodiscard]] std::uint32_t bank() const { return static_cast<std::uint32_t>(field(54, 5)); }
};
static_assert(sizeof(Instruction) == 64);

}  // namespace warpscope::machine
