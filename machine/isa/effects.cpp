#include "machine/isa/effects.h"

#include <string_view>

#include "machine/isa/tensor_registers.h"
#include "machine/isa/texture_words.h"

namespace warpscope::machine {
namespace {

/// The access of an instruction by its name. What LDGSTS writes to shared memory is not here: it has two.
struct Access {
  std::string_view name;
  MemorySpace space;
  bool loads;
  bool stores;
};

constexpr Access kAccesses[] = {
    {"LDG", MemorySpace::Global, true, false},    {"STG", MemorySpace::Global, false, true},
    {"LD", MemorySpace::Generic, true, false},    {"ST", MemorySpace::Generic, false, true},
    {"LDS", MemorySpace::Shared, true, false},    {"STS", MemorySpace::Shared, false, true},
    {"LDSM", MemorySpace::Shared, true, false},   {"LDL", MemorySpace::Local, true, false},
    {"STL", MemorySpace::Local, false, true},     {"LDC", MemorySpace::Constant, true, false},
    {"ULDC", MemorySpace::Constant, true, false}, {"ATOM", MemorySpace::Generic, true, true},
    {"ATOMG", MemorySpace::Global, true, true},   {"ATOMS", MemorySpace::Shared, true, true},
    {"RED", MemorySpace::Global, true, true},     {"LDGSTS", MemorySpace::Global, true, true},
    {"TEX", MemorySpace::Texture, true, false},   {"TLD", MemorySpace::Texture, true, false},
    {"TLD4", MemorySpace::Texture, true, false},  {"TXD", MemorySpace::Texture, true, false},
    {"REDG", MemorySpace::Global, true, true},    {"STSM", MemorySpace::Shared, false, true},
    {"STAS", MemorySpace::Shared, false, true},   {"REDAS", MemorySpace::Shared, true, true},
    {"SURED", MemorySpace::Texture, true, true},  {"SULD", MemorySpace::Texture, true, false},
    {"SUST", MemorySpace::Texture, false, true},
};

bool is_atomic(std::string_view name) {
  return name.starts_with("ATOM") || name.starts_with("RED");
}

/// Bytes of one lane, by the size field (bits 73 to 75) of a load or store, or the type of an atomic.
std::uint8_t access_bytes(const Row& row, const Instruction& instruction) {
  static constexpr std::uint8_t kSizes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  static constexpr std::uint8_t kTypes[] = {4, 4, 8, 4, 4, 8, 8, 4};
  static constexpr std::uint8_t kTypesSince90[] = {4, 4, 8, 8, 16, 4, 4, 4};
  static constexpr std::uint8_t kVectors[] = {4, 8, 16, 4, 8, 16, 4, 4, 4, 4, 8, 16, 4, 8, 16, 8};
  const std::uint64_t field = instruction.field(73, 3);
  if (row.name == "LDSM" || row.name == "STSM") return 4;
  if (!is_atomic(row.name)) return kSizes[field];
  const unsigned code = row.opcode & 0x1ffU;
  if (code == 0x1a2 || code == 0x1a3 || code == 0x1a6) return kVectors[instruction.field(73, 4)];
  // Exchanges and atomics of shared memory have the same widths before.
  const bool is_plain = row.since < 90 && row.name != "ATOMS" && code != 0x18b && code != 0x1a9;
  return is_plain ? kTypes[field] : kTypesSince90[field];
}

/// Uniform registers from the address in shared memory on: the barrier's address of a load behind it, then a coordinate per dimension.
unsigned bulk_registers(const Row& row, const Instruction& instruction) {
  const auto dimensions = static_cast<unsigned>(instruction.field(79, 3)) + 1;
  if (row.name == "UTMALDG") return 2 + dimensions;
  if (row.name == "UTMASTG" || row.name == "UTMAREDG") return 1 + dimensions;
  return row.name == "UTMAPF" ? 1 : 2;
}

unsigned register_count(const Row& row, const Instruction& instruction, const OperandSpec& spec,
                        std::size_t slot) {
  if (row.pipe == Pipe::Tensor && spec.kind == OperandKind::Register)
    return tensor_registers(row, instruction, slot);
  if (row.pipe == Pipe::Texture && spec.kind == OperandKind::Register)
    return texture_registers(row, instruction, spec);
  if (spec.brackets == ']' && spec.bit == 32) return bulk_registers(row, instruction);
  if (row.name == "LDSM" || row.name == "STSM") return 1U << instruction.field(72, 2);
  // Conversions with a 64-bit side: only that side is a pair.
  if (spec.count == 2 && row.pipe == Pipe::Special && row.name != "CS2R") {
    const std::uint64_t type = spec.written ? instruction.field(75, 2) : instruction.field(84, 2);
    return type == 3 ? 2 : 1;
  }
  if (spec.count != 0) return spec.count;
  return (access_bytes(row, instruction) + 3U) / 4U;
}

void add(RegisterSets& sets, const Operand& operand, unsigned count) {
  for (unsigned place = 0; place < count; ++place) {
    const unsigned number = operand.value + place;
    if (operand.kind == OperandKind::Register && operand.value != kZeroRegister && number < 255)
      sets.registers.set(number);
    if (operand.kind == OperandKind::UniformRegister && operand.value != kZeroUniformRegister && number < 63)
      sets.uniform.set(number);
  }
  if (operand.value == kTruePredicate) return;
  if (operand.kind == OperandKind::Predicate)
    sets.predicates |= static_cast<std::uint8_t>(1U << operand.value);
  if (operand.kind == OperandKind::UniformPredicate)
    sets.uniform_predicates |= static_cast<std::uint8_t>(1U << operand.value);
}

void add_pair(RegisterSets& sets, OperandKind kind, std::uint16_t value, bool wide) {
  Operand operand;
  operand.kind = kind;
  operand.value = value;
  add(sets, operand, wide ? 2 : 1);
}

/// A 64-bit address is a pair: of the register unless it is an offset to a uniform pair.
void add_memory(RegisterSets& reads, const Instruction& instruction, const Operand& operand,
                const OperandSpec& spec) {
  const auto uniform = static_cast<std::uint16_t>(operand.value >> 8);
  const bool has_uniform = uniform != 255;
  const bool is_64 = instruction.field(72, 1) != 0 || spec.offset_bit == 32;
  const bool can_be_wide = spec.wide_bit != 0 || (spec.offset_bit == 32 && spec.offset_width == 32);
  const bool wide = can_be_wide && is_64 &&
                    (!has_uniform || spec.wide_bit == 0 || instruction.field(spec.wide_bit, 1) != 0);
  add_pair(reads, OperandKind::Register, operand.value & 0xff, wide || spec.always_wide);
  if (has_uniform) add_pair(reads, OperandKind::UniformRegister, uniform, can_be_wide && is_64);
}

/// The coordinates of a surface, one register each.
void add_coordinates(RegisterSets& reads, const Instruction& instruction, const Operand& operand) {
  static constexpr unsigned kCoordinates[] = {1, 1, 2, 2, 3, 3, 1, 1};
  Operand place;
  place.kind = OperandKind::Register;
  place.value = operand.value & 0xff;
  add(reads, place, kCoordinates[instruction.field(61, 3)]);
}

/// What LDGSTS writes: 32 bits.
void add_shared(RegisterSets& reads, const Operand& operand) {
  add_pair(reads, OperandKind::Register, operand.value & 0xff, false);
  if (operand.value >> 8 != 255) add_pair(reads, OperandKind::UniformRegister, operand.value >> 8, false);
}

/// Registers that the notation implies: R2P and P2R act on all predicates of their mask.
void add_implied(const Row& row, const Instruction& instruction, Effects& effects) {
  const auto mask = static_cast<std::uint8_t>(instruction.field(32, 7));
  if (row.name == "R2P") effects.writes.predicates |= mask;
  if (row.name == "P2R") effects.reads.predicates |= mask;
  if (row.name == "R2UP") effects.writes.uniform_predicates |= mask;
  if (row.name == "UP2UR") effects.reads.uniform_predicates |= mask;
}

void add_access(const Row& row, const Instruction& instruction, Effects& effects) {
  for (const Access& access : kAccesses) {
    if (access.name != row.name) continue;
    effects.space = access.space;
    effects.loads = access.loads;
    effects.stores = access.stores;
    effects.access_bytes = access.space == MemorySpace::Texture ? 0 : access_bytes(row, instruction);
  }
}

}  // namespace

Effects effects_of(const Decoder& decoder, const Instruction& instruction) {
  const Row& row = decoder.row(instruction);
  Effects effects;
  Operand guard;
  guard.kind = row.uniform_guard ? OperandKind::UniformPredicate : OperandKind::Predicate;
  guard.value = instruction.guard_predicate();
  add(effects.reads, guard, 1);
  for (std::size_t slot = 0; slot < instruction.operand_count; ++slot) {
    const Operand& operand = instruction.operands[slot];
    const OperandSpec& spec = row.operands[slot];
    switch (operand.kind) {
      case OperandKind::Memory:
        add_memory(effects.reads, instruction, operand, spec);
        if (row.pipe == Pipe::Texture) add_coordinates(effects.reads, instruction, operand);
        break;
      case OperandKind::SharedMemory:
        add_shared(effects.reads, operand);
        break;
      case OperandKind::ConstantIndexed:
        add_pair(effects.reads, spec.uniform_bit != 0 ? OperandKind::UniformRegister : OperandKind::Register,
                 operand.value, false);
        break;
      case OperandKind::Constant:  // cx[UR][…]: a descriptor in a pair
        if (instruction.field(91, 1) != 0 && row.pipe != Pipe::Uniform)
          add_pair(effects.reads, OperandKind::UniformRegister,
                   static_cast<std::uint16_t>(instruction.field(32, 6)), true);
        break;
      default:
        add(operand.is_written() ? effects.writes : effects.reads, operand,
            register_count(row, instruction, spec, slot));
    }
  }
  add_implied(row, instruction, effects);
  add_access(row, instruction, effects);
  return effects;
}

namespace {

/// Coordinates, and the handle if it is in registers: all that is read but a value that is stored.
void add_texture_address(RegisterSets& reads, const Row& row, const Instruction& instruction,
                         const OperandSpec& spec, const Operand& operand) {
  const bool is_surface = row.name.starts_with("SU");
  constexpr unsigned kStored = 32;
  if (operand.kind == OperandKind::Memory) add_coordinates(reads, instruction, operand);
  if (operand.kind == OperandKind::UniformRegister) add(reads, operand, 1);
  if (operand.kind == OperandKind::Register && !operand.is_written() && !(is_surface && spec.bit == kStored))
    add(reads, operand, texture_registers(row, instruction, spec));
}

}  // namespace

RegisterSets address_reads(const Decoder& decoder, const Instruction& instruction, bool of_copy) {
  const Row& row = decoder.row(instruction);
  RegisterSets reads;
  for (std::size_t slot = 0; slot < instruction.operand_count; ++slot) {
    const Operand& operand = instruction.operands[slot];
    if (operand.kind == OperandKind::Memory && !of_copy)
      add_memory(reads, instruction, operand, row.operands[slot]);
    if (row.pipe == Pipe::Texture) add_texture_address(reads, row, instruction, row.operands[slot], operand);
    if (operand.kind == OperandKind::SharedMemory && of_copy) add_shared(reads, operand);
  }
  return reads;
}

}  // namespace warpscope::machine
