#pragma once
// The table of instructions: rows of table/instructions.def, taken apart once and found by a word's opcode.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/isa/instruction.h"

namespace warpscope::machine {

/// Which unit executes an instruction: what the table of smallest stalls and the counters by pipe go by.
enum class Pipe : std::uint8_t {
#define PIPE(name, meaning) name,
#include "machine/isa/table/pipes.def"
#undef PIPE
};

/// How the 32 bits of an immediate are meant and printed.
enum class Format : std::uint8_t { Signed, Unsigned, Float, Double, Halves, BrainHalves };

/// A part of an instruction's text: a suffix of its name, an operand, or a word among the operands.
struct Item {
  enum class Kind : std::uint8_t { Text, Flag, Power, Names, Operand, Word, NamedWord };
  Kind kind = Kind::Text;
  bool inverted = false;     ///< Flag: printed when the bit is 0
  std::uint8_t bit = 0;      ///< Flag, Names, NamedWord
  std::uint8_t low_bit = 0;  ///< Names: the value's lowest bit, where it is not the field's; else 0
  std::uint8_t slot = 0;     ///< Operand: its place in Instruction::operands
  std::uint16_t names = 0;   ///< Names: number of the table of names
  std::string_view text;     ///< Text, Flag, Power, Word
};

/// Where an operand is in the word, and how it is printed.
struct OperandSpec {
  static constexpr std::uint8_t kNone = 255;
  OperandKind kind = OperandKind::None;
  std::uint8_t bit = 0;
  std::uint8_t width = 8;
  std::uint8_t negate = kNone;  ///< bit, or none
  std::uint8_t absolute = kNone;
  std::uint8_t reuse = kNone;
  std::uint8_t part = kNone;  ///< first of two bits
  std::uint8_t count = 1;     ///< registers; 0: as many as the access is wide (size field at bit 73)
  bool written = false;
  bool hidden_default = false;  ///< not printed when it is PT or RZ
  bool complement = false;      ///< negation is printed as ~
  bool inverted = false;        ///< the field holds 7 - the predicate
  bool part_is_byte = false;    ///< printed .B1 to .B3; else halves
  char brackets = 0;            ///< UniformRegister: ']' [UR4], 'd' desc[UR4], 'g' gdesc[UR4]
  Format format = Format::Unsigned;
  std::uint8_t uniform_bit = 0;  ///< Memory: of the uniform register, 0: none
  std::uint8_t wide_bit = 0;     ///< Memory: set where the register is a pair
  std::uint8_t descriptor_bit = 0;
  std::uint8_t scale_bit = 0;
  std::uint8_t offset_bit = 40;  ///< Memory, SharedMemory; 0: no offset
  std::uint8_t offset_width = 24;
  bool shows_zero = true;      ///< Memory: URZ is printed
  bool always_wide = false;    ///< Memory: the register is a pair, whatever the word says
  bool own_descriptor = true;  ///< Memory: the descriptor is the uniform register, else the next one
  std::uint8_t mode =
      0;  ///< Target: 0 absolute, 'r' relative to the next instruction and printed so, 'a' an address as it is
  bool has_low_bits = false;    ///< Target: bits 16 to 23 are its lowest eight bits (sm_90)
  std::uint8_t suffix_bit = 0;  ///< a suffix behind the operand, by suffix_names; 0: none
  std::uint16_t suffix_names = 0;
  std::uint16_t names = 0;  ///< Named
};

/// How one operand is taken out of a word: an OperandSpec in the form that decoding needs. Shifts are within the word's half; a mask of 0
/// means that there is no such bit.
struct Extraction {
  struct Bits {
    std::uint8_t half = 0;
    std::uint8_t shift = 0;
    std::uint8_t mask = 0;
  };
  OperandKind kind = OperandKind::None;
  bool simple = true;  ///< the value is value_mask bits from value.shift on
  std::uint8_t flags = 0;
  Bits value;
  std::uint16_t value_mask = 0;
  Bits negate, absolute, reuse, part;
};

struct Row {
  std::string_view name;
  Pipe pipe{};
  std::uint16_t opcode = 0;  ///< bits 0 to 11
  std::uint16_t since = 70;  ///< architectures
  std::uint16_t until = 999;
  std::uint64_t low_mask = 0, low_value = 0, high_mask = 0, high_value = 0;
  bool uniform_guard = false;  ///< the guard is UP0 to UP6
  std::vector<Item> items;
  std::vector<OperandSpec> operands;
};

/// What decoding looks at: the conditions of a row, and its operands among InstructionTable::extractions().
struct Pattern {
  std::uint64_t low_mask = 0, low_value = 0, high_mask = 0, high_value = 0;
  std::uint16_t row = 0;
  std::uint16_t operands = 0;
  std::uint32_t first_extraction = 0;
};

/// The operands of a row in the form that decoding needs.
std::vector<Extraction> extractions_of(const Row& row);

/// The rows for one architecture, by opcode.
class InstructionTable {
 public:
  /// Architectures from 70 on; throws std::logic_error for a row that cannot be read (a test reads all).
  explicit InstructionTable(std::uint32_t architecture);
  /// The table of an architecture, made at its first use.
  static const InstructionTable& of(std::uint32_t architecture);

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// The rows of an opcode (12 bits), the more special ones first.
  [[nodiscard]] std::span<const Pattern> candidates(unsigned opcode) const {
    return {patterns_.data() + first_[opcode], patterns_.data() + first_[opcode + 1]};
  }
  [[nodiscard]] const Extraction* extractions(const Pattern& pattern) const {
    return extractions_.data() + pattern.first_extraction;
  }

 private:
  void add_patterns();

  std::vector<Row> rows_;
  std::vector<Pattern> patterns_;
  std::vector<Extraction> extractions_;
  std::vector<std::uint32_t> first_;
};

/// A table of names (table/fields.def): the text of each value; width in bits.
struct Names {
  std::string_view name;
  std::uint8_t width = 0;
  std::vector<std::string_view> texts;
  /// "" where nothing is printed; INVALIDn for a value without a name.
  [[nodiscard]] std::string text(std::uint64_t value) const;
};
const Names& names_of(std::uint16_t number);

}  // namespace warpscope::machine
