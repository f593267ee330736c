#include "machine/execute/translation.h"

#include "machine/execute/address.h"

namespace warpscope::machine {

Source Translation::constant(std::uint32_t value) {
  Source source;
  source.is_constant = true;
  source.low = source.high = code_.constant_row({true, value, 0, 0});
  return source;
}

Source Translation::of_register(unsigned number) const {
  Source source;
  source.low = source.high = code_.register_row(number);
  return source;
}

Source Translation::place_of(std::size_t slot) {
  const Operand& operand = instruction_.operands[slot];
  switch (operand.kind) {
    case OperandKind::Immediate:
      return constant(static_cast<std::uint32_t>(instruction_.immediate));
    case OperandKind::SmallImmediate:
      return constant(operand.value);
    case OperandKind::Constant: {
      Source source;
      source.is_constant = true;
      source.low = source.high = code_.constant_row({false, 0, instruction_.bank(), operand.value});
      if (instruction_.field(91, 1) != 0 && row_.pipe != Pipe::Uniform)
        cannot_ = true;  // a bank by its descriptor
      return source;
    }
    case OperandKind::UniformRegister: {
      Source source;
      source.low = source.high = code_.uniform_row(operand.value);
      return source;
    }
    default:
      return of_register(operand.value);
  }
}

Source Translation::small(std::size_t slot) {
  return place_of(slot);
}

Source Translation::integer(std::size_t slot) {
  Source source = place_of(slot);
  const Operand& operand = instruction_.operands[slot];
  if (operand.is_negated())
    source.change = row_.operands[slot].complement ? Source::kComplement : Source::kNegated;
  source.part = operand.part();
  return source;
}

Source Translation::words(std::size_t slot, unsigned count) {
  Source source = place_of(slot);
  const Operand& operand = instruction_.operands[slot];
  if (count == 2 && operand.kind == OperandKind::Register)
    source.high = code_.register_row(operand.value == kZeroRegister ? kZeroRegister : operand.value + 1U);
  return source;
}

Source Translation::wide_integer(std::size_t slot, bool is_signed) {
  Source source = integer(slot);
  const Operand& operand = instruction_.operands[slot];
  const auto value = static_cast<std::uint32_t>(instruction_.immediate);
  switch (operand.kind) {
    case OperandKind::Register:
      source.high = code_.register_row(operand.value == kZeroRegister ? kZeroRegister : operand.value + 1U);
      break;
    case OperandKind::UniformRegister:
      source.high = code_.uniform_row(operand.value == kZeroUniformRegister ? kZeroUniformRegister
                                                                            : operand.value + 1U);
      break;
    case OperandKind::Constant:
      source.high = code_.constant_row({false, 0, instruction_.bank(), operand.value + 4U});
      break;
    default:
      source.high = code_.constant_row({true, is_signed && (value & 0x80000000U) != 0 ? ~0U : 0U, 0, 0});
  }
  return source;
}

Source Translation::real(std::size_t slot) {
  Source source = place_of(slot);
  const Operand& operand = instruction_.operands[slot];
  source.change = static_cast<std::uint8_t>((operand.is_negated() ? Source::kMinus : 0) |
                                            (operand.is_absolute() ? Source::kAbsolute : 0));
  source.part = operand.part();
  return source;
}

Source Translation::wide_real(std::size_t slot) {
  const Source changes = real(slot);
  Source source = wide_integer(slot, false);
  source.change = changes.change;
  // An immediate is the upper half.
  if (instruction_.operands[slot].kind == OperandKind::Immediate) {
    source.high = changes.low;
    source.low = code_.constant_row({true, 0, 0, 0});
  }
  return source;
}

PredicateSource Translation::predicate(std::size_t slot) const {
  const Operand& operand = instruction_.operands[slot];
  const bool uniform = operand.kind == OperandKind::UniformPredicate;
  return {static_cast<std::uint8_t>(operand.value + (uniform ? kUniformPredicates : 0)),
          operand.is_negated()};
}

void Translation::result(std::size_t slot, std::uint8_t count) {
  const Operand& operand = instruction_.operands[slot];
  operation_.results = count;
  if (operand.kind == OperandKind::UniformRegister) {
    operation_.is_uniform = true;
    operation_.drops_result = operand.value == kZeroUniformRegister;
    operation_.result = operation_.drops_result ? code_.unread_row() : code_.uniform_row(operand.value);
    return;
  }
  operation_.drops_result = operand.value == kZeroRegister;
  operation_.result = operation_.drops_result ? code_.unread_row() : code_.register_row(operand.value);
}

void Translation::writes_predicate(unsigned which, std::size_t slot) {
  const Operand& operand = instruction_.operands[slot];
  const bool uniform = operand.kind == OperandKind::UniformPredicate;
  if (uniform) operation_.is_uniform = true;
  operation_.outputs[which] =
      operand.value == kTruePredicate
          ? kNoPredicate
          : static_cast<std::uint8_t>(operand.value + (uniform ? kUniformPredicates : 0));
}

void Translation::address(std::size_t slot) {
  const Operand& operand = instruction_.operands[slot];
  const OperandSpec& spec = row_.operands[slot];
  const unsigned number = operand.value & 0xffU, uniform = operand.value >> 8U;
  const bool has_descriptor = spec.descriptor_bit != 0 && uniform != 255 && has(spec.descriptor_bit);
  const bool has_uniform = uniform != 255 && !has_descriptor;
  const bool is_64 = has(72) || spec.offset_bit == 32;
  const bool can_be_wide = spec.wide_bit != 0 || (spec.offset_bit == 32 && spec.offset_width == 32);
  operation_.offset = memory_offset(instruction_, spec);
  operation_.a = of_register(number);
  operation_.a.high = code_.register_row(number == kZeroRegister ? number : number + 1);
  if (can_be_wide && is_64 && (uniform == 255 || spec.wide_bit == 0 || has(spec.wide_bit)))
    operation_.bits |= kWideRegister;
  if (spec.scale_bit != 0) operation_.bits |= bits(spec.scale_bit, 2) << kScaleShift;
  if (!has_uniform) return;
  operation_.bits |= kHasUniform | (can_be_wide && is_64 ? kWideUniform : 0U);
  operation_.b.low = code_.uniform_row(uniform);
  operation_.b.high = code_.uniform_row(uniform == kZeroUniformRegister ? uniform : uniform + 1);
}

}  // namespace warpscope::machine
