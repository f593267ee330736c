#include "machine/isa/printer.h"

#include <fmt/format.h>

#include <bit>

#include "machine/isa/numbers.h"

namespace warpscope::machine {
namespace {

std::string register_name(std::uint16_t number) {
  return number == kZeroRegister ? "RZ" : fmt::format("R{}", number);
}
std::string uniform_name(std::uint16_t number) {
  return number == kZeroUniformRegister ? "URZ" : fmt::format("UR{}", number);
}
std::string predicate_name(std::uint16_t number, bool uniform) {
  const char* prefix = uniform ? "U" : "";
  return number == kTruePredicate ? fmt::format("{}PT", prefix) : fmt::format("{}P{}", prefix, number);
}
std::string signed_hex(std::int64_t value) {
  return value < 0 ? fmt::format("-0x{:x}", -value) : fmt::format("0x{:x}", value);
}

std::string bracketed(std::string text, char brackets) {
  const char* before = brackets == 'd' ? "desc" : brackets == 'g' ? "gdesc" : "";
  return brackets == 0 ? text : fmt::format("{}[{}]", before, text);
}

/// Prints one instruction.
class Printer {
 public:
  Printer(const Decoder& decoder, const Instruction& instruction)
      : row_(decoder.row(instruction)), instruction_(instruction) {}
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string operands() const;

 private:
  [[nodiscard]] bool bit(unsigned number) const { return instruction_.field(number, 1) != 0; }
  [[nodiscard]] std::string suffix(const Item& item) const;
  [[nodiscard]] std::string operand(const Operand& operand, const OperandSpec& spec) const;
  [[nodiscard]] std::string plain(const Operand& operand, const OperandSpec& spec) const;
  [[nodiscard]] std::string part(const Operand& operand, const OperandSpec& spec) const;
  [[nodiscard]] std::string memory(const Operand& operand, const OperandSpec& spec) const;
  [[nodiscard]] std::string constant(const Operand& operand, const OperandSpec& spec) const;
  [[nodiscard]] bool is_hidden(const Operand& operand, const OperandSpec& spec) const;

  const Row& row_;
  const Instruction& instruction_;
};

std::string Printer::suffix(const Item& item) const {
  switch (item.kind) {
    case Item::Kind::Text:
      return std::string(item.text);
    case Item::Kind::Flag:
      return bit(item.bit) != item.inverted ? std::string(item.text) : "";
    case Item::Kind::Power: {
      const std::uint64_t immediate = instruction_.field(32, 32);
      return std::has_single_bit(immediate) && immediate != 1 && immediate != 0x10000 &&
                     immediate != 0x80000000
                 ? std::string(item.text)
                 : "";
    }
    case Item::Kind::Names:
    case Item::Kind::NamedWord: {
      const Names& names = names_of(item.names);
      if (item.low_bit == 0) return names.text(instruction_.field(item.bit, names.width));
      return names.text(instruction_.field(item.bit, names.width - 1U) << 1 |
                        instruction_.field(item.low_bit, 1));
    }
    case Item::Kind::Word:
    case Item::Kind::Operand:
      break;
  }
  return "";
}

std::string Printer::name() const {
  std::string text(row_.name);
  for (const Item& item : row_.items)
    if (item.kind < Item::Kind::Operand) text += suffix(item);
  return text;
}

bool Printer::is_hidden(const Operand& operand, const OperandSpec& spec) const {
  if (!spec.hidden_default) return false;
  switch (operand.kind) {
    case OperandKind::Predicate:
    case OperandKind::UniformPredicate:
      return operand.value == kTruePredicate && !operand.is_negated();
    case OperandKind::Register:
      return operand.value == kZeroRegister;
    case OperandKind::UniformRegister:
      return operand.value == kZeroUniformRegister;
    case OperandKind::SmallImmediate:
      return operand.value == (spec.width == 4 ? 15 : 0);
    case OperandKind::Named:
      return names_of(spec.names).text(operand.value).empty();
    default:
      return false;
  }
}

std::string Printer::constant(const Operand& operand, const OperandSpec& spec) const {
  // Packed halves have a space between bank and offset.
  const char* space = row_.pipe == Pipe::Half && spec.part != OperandSpec::kNone ? " " : "";
  if (instruction_.field(91, 1) != 0 && operand.kind == OperandKind::Constant)
    return fmt::format("cx[{}]{}[0x{:x}]",
                       uniform_name(static_cast<std::uint16_t>(instruction_.field(32, 6))), space,
                       operand.value);
  return fmt::format("c[0x{:x}]{}[0x{:x}]", instruction_.bank(), space, operand.value);
}

std::string Printer::memory(const Operand& operand, const OperandSpec& spec) const {
  const auto base = static_cast<std::uint16_t>(operand.value & 0xff);
  const auto uniform = static_cast<std::uint16_t>(operand.value >> 8);
  const std::int32_t offset = memory_offset(instruction_, spec);
  const bool descriptor = spec.descriptor_bit != 0 && uniform != 255 && bit(spec.descriptor_bit);
  const bool has_uniform =
      uniform != 255 && !descriptor && (spec.shows_zero || uniform != kZeroUniformRegister);
  std::string inside;
  const bool is_wide =
      spec.wide_bit != 0 && (uniform != 255 || !spec.own_descriptor) && base != kZeroRegister;
  if (base != kZeroRegister || !has_uniform) {
    inside = register_name(base);
    if (spec.scale_bit != 0 && spec.kind == OperandKind::Memory) {
      static constexpr const char* kScales[] = {"", ".X4", ".X8", ".X16"};
      inside += kScales[instruction_.field(spec.scale_bit, 2)];
    }
    if (spec.always_wide) inside += ".64";
    if (is_wide && (bit(72) || spec.offset_bit == 32)) inside += bit(spec.wide_bit) ? ".64" : ".U32";
  }
  if (has_uniform) inside += fmt::format("{}{}", inside.empty() ? "" : "+", uniform_name(uniform));
  if (offset != 0) {
    if (inside == "RZ") inside.clear();
    inside += fmt::format("{}{}", inside.empty() ? "" : "+", signed_hex(offset));
  }
  return descriptor ? fmt::format("desc[{}][{}]", uniform_name(uniform), inside)
                    : fmt::format("[{}]", inside);
}

std::string Printer::part(const Operand& operand, const OperandSpec& spec) const {
  static constexpr const char* kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
  const std::uint8_t number = operand.part();
  if (number == 0) return "";
  if (spec.part_is_byte)
    return instruction_.field(84, 2) == 0 ? fmt::format(".B{}", number) : fmt::format(".H{}", number);
  return spec.part == 60 && row_.pipe != Pipe::Half ? fmt::format(".H{}", number) : kHalves[number];
}

std::string Printer::plain(const Operand& operand, const OperandSpec& spec) const {
  switch (operand.kind) {
    case OperandKind::Register:
      return register_name(operand.value);
    case OperandKind::UniformRegister:
      return bracketed(uniform_name(operand.value), spec.brackets);
    case OperandKind::Predicate:
      return predicate_name(operand.value, false);
    case OperandKind::UniformPredicate:
      return predicate_name(operand.value, true);
    case OperandKind::Immediate:
      return immediate_text(static_cast<std::uint32_t>(instruction_.immediate), spec.format);
    case OperandKind::SmallImmediate:
      return fmt::format("0x{:x}", operand.value);
    case OperandKind::Constant:
      return constant(operand, spec);
    case OperandKind::Target:
      return signed_hex(instruction_.immediate);
    case OperandKind::Memory:
    case OperandKind::SharedMemory:
      return memory(operand, spec);
    case OperandKind::Barrier:
      return fmt::format("B{}", operand.value);
    case OperandKind::Counter:
      return fmt::format("SB{}", operand.value);
    case OperandKind::Named:
      return names_of(spec.names).text(operand.value);
    case OperandKind::ConstantIndexed: {
      std::string inside = spec.uniform_bit != 0 ? uniform_name(operand.value) : register_name(operand.value);
      if (instruction_.immediate != 0) {
        if (inside == "RZ")
          inside = signed_hex(instruction_.immediate & 0xffff);
        else
          inside += fmt::format("+{}", signed_hex(instruction_.immediate));
      }
      return fmt::format("c[0x{:x}][{}]", instruction_.bank(), inside);
    }
    case OperandKind::CounterSet: {
      std::string set;
      for (int counter = 5; counter >= 0; --counter)
        if ((operand.value >> counter & 1) != 0) set += fmt::format("{}{}", set.empty() ? "" : ",", counter);
      return fmt::format("{{{}}}", set);
    }
    case OperandKind::Signs: {
      static constexpr int kFields[] = {3, 7, 2, 6, 1, 5, 0, 4};
      std::string signs;
      for (const int field : kFields) signs += "PN?Z"[operand.value >> (2 * field) & 3];
      return signs;
    }
    case OperandKind::None:
      break;
  }
  return "";
}

std::string Printer::operand(const Operand& operand, const OperandSpec& spec) const {
  std::string text = plain(operand, spec);
  const bool is_predicate =
      operand.kind == OperandKind::Predicate || operand.kind == OperandKind::UniformPredicate;
  const std::string reuse = operand.is_reused() ? ".reuse" : "";
  if (operand.is_absolute() && operand.kind == OperandKind::Register)
    text = fmt::format("|{}|{}{}", text, reuse, part(operand, spec));
  else if (operand.is_absolute())
    text = fmt::format("|{}{}|", text, part(operand, spec));
  else
    text += reuse + part(operand, spec);
  if (operand.is_negated())
    text = fmt::format("{}{}", is_predicate ? "!" : spec.complement ? "~" : "-", text);
  if (spec.suffix_bit != 0) {
    const Names& names = names_of(spec.suffix_names);
    text += names.text(instruction_.field(spec.suffix_bit, names.width));
  }
  return text;
}

std::string Printer::operands() const {
  std::string text;
  // A register and an offset that together are the target have no comma between them.
  const bool is_indirect =
      row_.name == "BRX" || row_.name == "BRXU" || row_.name == "CALL" || row_.name == "RET";
  bool after_register = false;
  for (const Item& item : row_.items) {
    if (item.kind < Item::Kind::Operand) continue;
    std::string one;
    bool is_register = false;
    bool is_target = false;
    if (item.kind == Item::Kind::Operand) {
      const Operand& operand_of_it = instruction_.operands[item.slot];
      const OperandSpec& spec = row_.operands[item.slot];
      if (is_hidden(operand_of_it, spec)) continue;
      if (operand_of_it.kind == OperandKind::CounterSet && operand_of_it.value == 0) continue;
      one = operand(operand_of_it, spec);
      is_register =
          operand_of_it.kind == OperandKind::Register || operand_of_it.kind == OperandKind::UniformRegister;
      is_target = operand_of_it.kind == OperandKind::Target;
    } else {
      one = item.kind == Item::Kind::Word ? std::string(item.text) : suffix(item);
    }
    if (!text.empty()) text += is_target && after_register && is_indirect ? " " : ", ";
    text += one;
    after_register = is_register;
  }
  return text;
}

}  // namespace

std::string name_of(const Decoder& decoder, const Instruction& instruction) {
  return instruction.is_known() ? Printer(decoder, instruction).name() : ".word";
}

std::string text_of(const Decoder& decoder, const Instruction& instruction) {
  if (!instruction.is_known())
    return fmt::format(".word 0x{:016x}{:016x}", instruction.high, instruction.low);
  const Printer printer(decoder, instruction);
  std::string text;
  if (instruction.guard != kTruePredicate)
    text = fmt::format("@{}{} ", instruction.guard_is_negated() ? "!" : "",
                       predicate_name(instruction.guard_predicate(), decoder.row(instruction).uniform_guard));
  text += printer.name();
  const std::string operands = printer.operands();
  if (!operands.empty()) text += fmt::format(" {}", operands);
  while (text.ends_with(' ')) text.pop_back();  // behind +INF
  return text;
}

std::string control_text(const Control& control) {
  std::string waits;
  for (int counter = 0; counter < 6; ++counter)
    waits += (control.wait_mask >> counter & 1) != 0 ? static_cast<char>('0' + counter) : '-';
  const auto counter_text = [](std::uint8_t counter) {
    return counter == kNoCounter ? std::string("-") : fmt::format("{}", counter);
  };
  return fmt::format("B{}:R{}:W{}:{}:S{:02}", waits, counter_text(control.read_counter),
                     counter_text(control.write_counter), control.yield ? 'Y' : '-', control.stall);
}

}  // namespace warpscope::machine
