#pragma once
// Words to instructions.
#include <cstdint>
#include <span>
#include <vector>

#include "machine/isa/table.h"

namespace warpscope::machine {

/// Offset of a memory operand in bytes.
std::int32_t memory_offset(const Instruction& instruction, const OperandSpec& spec);

class Decoder {
 public:
  /// 70 to 90: the architectures whose words have 128 bits and are in the table.
  static bool supports(std::uint32_t architecture) { return architecture >= 70 && architecture <= 90; }
  explicit Decoder(std::uint32_t architecture) : table_(InstructionTable::of(architecture)) {}

  /// What is not in the table has is_known() false, and its word.
  [[nodiscard]] Instruction decode(std::uint64_t low, std::uint64_t high, std::uint32_t address) const;
  /// All words of a section of code; bytes behind the last whole word are left out.
  [[nodiscard]] std::vector<Instruction> decode(std::span<const std::uint8_t> code) const;
  /// Only of a known instruction.
  [[nodiscard]] const Row& row(const Instruction& instruction) const {
    return table_.rows()[instruction.row];
  }

 private:
  void decode(std::uint64_t low, std::uint64_t high, std::uint32_t address, Instruction& instruction) const;

  const InstructionTable& table_;
};

}  // namespace warpscope::machine
