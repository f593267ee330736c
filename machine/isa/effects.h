#pragma once
// What an instruction reads and writes: registers, predicates and uniform registers. From the table's operands; how many registers an
// operand spans is computed here where it depends on the word.
#include <bitset>
#include <cstdint>

#include "machine/isa/decoder.h"

namespace warpscope::machine {

enum class MemorySpace : std::uint8_t { None, Generic, Global, Shared, Local, Constant, Texture };

struct RegisterSets {
  std::bitset<256> registers;           ///< without RZ
  std::bitset<64> uniform;              ///< without URZ
  std::uint8_t predicates = 0;          ///< bits 0 to 6
  std::uint8_t uniform_predicates = 0;  ///< bits 0 to 6
};

struct Effects {
  RegisterSets reads;
  RegisterSets writes;
  MemorySpace space = MemorySpace::None;
  std::uint8_t access_bytes = 0;  ///< of one lane; 0: no access
  bool loads = false;
  bool stores = false;
};

/// Of a known instruction. The guard is among what is read.
Effects effects_of(const Decoder& decoder, const Instruction& instruction);
/// The registers of the address of a known instruction that accesses memory. `of_copy`: of what LDGSTS writes, not of what it reads.
RegisterSets address_reads(const Decoder& decoder, const Instruction& instruction, bool of_copy = false);

}  // namespace warpscope::machine
