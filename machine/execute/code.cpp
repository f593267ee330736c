#include "machine/execute/code.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/execute/translation.h"
#include "machine/execute/warp.h"
#include "machine/isa/effects.h"
#include "traces/base/error.h"

namespace warpscope::machine {
namespace {

/// Rows that no register has: damaged code may name the first of several words behind the last register.
constexpr std::size_t kRowsBehind = 8;

using Family = bool (*)(Translation&);
constexpr Family kFamilies[] = {
    translate_integer,    translate_parts,   translate_logic,      translate_single,     translate_double,
    translate_half,       translate_special, translate_conversion, translate_move,       translate_exchange,
    translate_memory,     translate_atomic,  translate_copy,       translate_barrier,    translate_bulk,
    translate_tensor_map, translate_tensor,  translate_sparse,     translate_warp_group, translate_texture,
    translate_surface,    translate_flow};

void translate(Code& code, const Instruction& instruction, Operation& operation) {
  operation.outputs[0] = operation.outputs[1] = kNoPredicate;
  operation.result = code.unread_row();
  operation.flow = Flow::Unknown;
  if (!instruction.is_known()) return;
  const bool uniform = code.decoder().row(instruction).uniform_guard;
  operation.guard = {
      static_cast<std::uint8_t>(instruction.guard_predicate() + (uniform ? kUniformPredicates : 0)),
      instruction.guard_is_negated()};
  for (const Family family : kFamilies) {
    Operation tried = operation;
    tried.flow = Flow::Plain;
    Translation translation(code, instruction, tried);
    if (!family(translation)) continue;
    tried.is_uniform = tried.is_uniform || uniform;
    operation = tried;
    return;
  }
}

}  // namespace

Code::Code(const Cubin& cubin, const Function& kernel, SectionPlaces places)
    : cubin_(cubin),
      kernel_(kernel),
      image_(cubin, kernel, std::move(places)),
      decoder_(cubin.architecture()) {
  instructions_ = decoder_.decode(image_.code());
  for (const auto& [place, target] : image_.calls())
    instructions_[place / kInstructionBytes].immediate = static_cast<std::int64_t>(target);
  if (kernel.offset / kInstructionBytes >= instructions_.size())
    throw InputError(fmt::format("kernel {}: it begins at {}, its code has {} bytes", kernel.name,
                                 kernel.offset, image_.code().size()));
  entry_ = static_cast<std::uint32_t>(kernel.offset / kInstructionBytes);
  count_registers();
  operations_.resize(instructions_.size());
  for (std::size_t number = 0; number < instructions_.size(); ++number)
    translate(*this, instructions_[number], operations_[number]);
  pair_collectives();
  mark_guards();
  mark_system_calls();
  add_system_functions();
  end_code();
}

void Code::mark_system_calls() {
  // What a relocation of a call names may be a function of the system, whose place is behind the code.
  const std::uint16_t zero = constant_row({true, 0, 0, 0});
  for (Operation& operation : operations_) {
    if (operation.flow != Flow::Call || operation.target < instructions_.size() ||
        operation.target - instructions_.size() >= image_.system_functions().size())
      continue;
    operation.flow = Flow::CallIndirect;
    operation.bits = kSystemCall;
    operation.offset = static_cast<std::int64_t>(operation.target * kInstructionBytes);
    operation.a = {zero, zero, true};
  }
  for_each_attribute(cubin_, image_, [&](const InfoRecord& record, std::uint32_t base) {
    if (record.attribute != InfoAttribute::SYSCALL_OFFSETS) return;
    for (std::size_t number = 0; number < record.words(); ++number) {
      const std::size_t place = base + record.word(number) / kInstructionBytes;
      if (place < operations_.size() && operations_[place].flow == Flow::CallIndirect)
        operations_[place].bits = kSystemCall;
    }
  });
}

void Code::add_system_functions() {
  for (std::size_t number = 0; number < image_.system_functions().size(); ++number) {
    Operation operation;
    operation.flow = Flow::System;
    operation.guard = {kTruePredicate, false};
    operation.outputs[0] = operation.outputs[1] = kNoPredicate;
    operation.target = static_cast<std::uint32_t>(number);
    operations_.push_back(operation);
  }
}

void Code::count_registers() {
  unsigned registers = 0, uniform = 0;
  for (const Instruction& instruction : instructions_) {
    if (!instruction.is_known()) continue;
    const Effects effects = effects_of(decoder_, instruction);
    for (unsigned number = 0; number < 255; ++number)
      if (effects.reads.registers[number] || effects.writes.registers[number])
        registers = std::max(registers, number + 1);
    for (unsigned number = 0; number < 63; ++number)
      if (effects.reads.uniform[number] || effects.writes.uniform[number])
        uniform = std::max(uniform, number + 1);
  }
  zero_row_ = static_cast<std::uint16_t>(registers);
  row_count_ = registers + 2 + uniform + 1 + kRowsBehind;
}

std::uint16_t Code::constant_row(const ConstantRow& row) {
  const auto same = [&](const ConstantRow& other) {
    return row.is_immediate == other.is_immediate &&
           (row.is_immediate ? row.value == other.value
                             : row.bank == other.bank && row.offset == other.offset);
  };
  const auto found = std::find_if(constants_.begin(), constants_.end(), same);
  if (found != constants_.end()) return static_cast<std::uint16_t>(found - constants_.begin());
  constants_.push_back(row);
  return static_cast<std::uint16_t>(constants_.size() - 1);
}

// A jump to a place that is not in the code leads behind it.
void Code::end_code() {
  const auto end = static_cast<std::uint32_t>(operations_.size());
  for (Operation& operation : operations_)
    if (operation.flow == Flow::Branch || operation.flow == Flow::Call)
      operation.target = std::min(operation.target, end);
  Operation& behind = operations_.emplace_back();
  behind.flow = Flow::Unknown;
  behind.guard = {kTruePredicate, false};
}

void Code::mark_guards() {
  for (std::size_t place = 0; place < operations_.size(); ++place) {
    Operation& operation = operations_[place];
    const bool is_always =
        operation.guard.place % kUniformPredicates == kTruePredicate && !operation.guard.negated;
    operation.is_guarded = !is_always;
    if (operation.is_partial_copy) operation.is_guarded = operation.is_guarded_access = true;
    if (operation.flow == Flow::GroupBarrier) operation.is_guarded_access = !is_always;
    if (operation.flow != Flow::Plain || is_always) continue;
    const Effects effects = effects_of(decoder_, instructions_[place]);
    operation.is_guarded_access = (effects.loads || effects.stores) && effects.space != MemorySpace::Constant;
  }
}

}  // namespace warpscope::machine
