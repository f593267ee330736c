#include "timed/program/machine_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "machine/isa/control.h"
#include "timed/program/machine_tensor.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

/// "LDG.E" of "@!P0 LDG.E R2, [R2.64]".
std::string_view name_of_instruction(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
  return text.substr(0, text.find(' '));
}

bool is_named(std::string_view name, std::string_view what) {
  return name.starts_with(what) && (name.size() == what.size() || name[what.size()] == '.');
}

/// What executes an instruction; its latency is that of a result that a counter announces.
struct Execution {
  Unit unit;
  std::uint32_t interval, latency;
};

Execution execution_of(const MachineInstruction& one, std::string_view name, const MachineTimes& times) {
  const std::string_view pipe = one.pipe;
  if (pipe == "fma") {
    const bool is_integer = name.starts_with("IMAD") || name.starts_with("IDP");
    return {times.has_two_fma_pipes && is_integer ? Unit::Heavy : Unit::Float, times.fma_interval, 0};
  }
  if (pipe == "half") return {Unit::Half, times.half_interval, 0};
  if (pipe == "double") return {Unit::Double, times.double_interval, times.double_latency};
  if (pipe == "special") return {Unit::Special, times.special_interval, times.special_latency};
  if (pipe == "uniform") return {Unit::Uniform, times.uniform_interval, times.mio_latency};
  if (pipe == "branch") return {Unit::Control, times.branch_interval, times.mio_latency};
  if (pipe == "tensor") return {Unit::Tensor, tensor_interval(name, times), 0};
  if (pipe == "memory" || pipe == "texture") {
    const bool is_constant = is_named(name, "LDC") || is_named(name, "LDCU");
    return {Unit::Memory, times.memory_interval, is_constant ? times.constant_latency : times.mio_latency};
  }
  return {Unit::Int, times.alu_interval, times.mio_latency};
}

/// Of "DEPBAR.LE SB0, 0x1": the counter and its limit.
void read_limit(std::string_view text, MachineOp& op) {
  const std::size_t counter = text.find("SB");
  if (counter == std::string_view::npos || counter + 2 >= text.size()) return;
  op.limited = static_cast<std::uint8_t>(std::clamp(text[counter + 2] - '0', 0, kCounters - 1));
  const std::size_t limit = text.find("0x", counter);
  if (limit == std::string_view::npos) return;
  unsigned value = 0;
  for (const char digit : text.substr(limit + 2)) {
    if (digit < '0' || digit > '9') break;  // up to 63: two digits, of which the first is below 4
    value = value * 16 + static_cast<unsigned>(digit - '0');
  }
  op.limit = static_cast<std::uint8_t>(std::min(value, 63u));
}

std::uint32_t hexadecimal(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

/// Of "FMUL R0, R1, c[0x3][0x48]": bank 3, line 1. Where a register names the address it is not known which.
std::uint16_t constant_of(std::string_view text) {
  constexpr std::uint32_t kLinesOfBank = 1024, kLine = 64, kBanks = 32;
  const std::size_t bank = text.find("c[0x");
  const std::size_t offset = text.find("][0x", bank);
  if (bank == std::string_view::npos || offset == std::string_view::npos) return kNoConstant;
  const std::uint32_t number = hexadecimal(text.substr(bank + 4)),
                      line = hexadecimal(text.substr(offset + 4)) / kLine;
  if (number >= kBanks || line >= kLinesOfBank) return kNoConstant;
  return static_cast<std::uint16_t>(number * kLinesOfBank + line);
}

MachineOp::Occupies occupied_by(Unit unit, const MachineTimes& times) {
  using Occupies = MachineOp::Occupies;
  if (times.double_shares_port && (unit == Unit::Double || unit == Unit::Tensor || unit == Unit::Half))
    return Occupies::Port;
  if (times.has_two_fma_pipes && (unit == Unit::Float || unit == Unit::Heavy)) return Occupies::FmaPipe;
  return times.half_takes_fma_pipes && unit == Unit::Half ? Occupies::FmaPipes : Occupies::Unit;
}

std::uint8_t counter_of(std::uint8_t field) {
  return field < kCounters ? field : kNoCounter;
}

/// Cycles to the end of a warp, of which more are not told apart: longer than any latency.
constexpr Cycle kFarFromEnd = 60'000;

bool is_long(AddressSpace space) {
  return space == AddressSpace::Global || space == AddressSpace::Private;
}

}  // namespace

MachineOp machine_op(const MachineInstruction& instruction, const MachineTimes& times) {
  const machine::Control control = machine::control_of(instruction.high);
  const std::string_view name = name_of_instruction(instruction.text);
  const Execution execution = execution_of(instruction, name, times);
  MachineOp op;
  op.unit = execution.unit;
  op.interval = static_cast<std::uint8_t>(std::clamp(execution.interval, 1u, 255u));
  op.latency = static_cast<std::uint16_t>(std::min(execution.latency, 65535u));
  op.gap = std::max<std::uint8_t>(control.stall, control.yield ? 2 : 1);
  op.waits = control.wait_mask;
  op.result = counter_of(control.write_counter);
  op.operands = counter_of(control.read_counter);
  for (const std::uint8_t counter : {op.result, op.operands})
    if (counter != kNoCounter) op.counters |= static_cast<std::uint8_t>(1u << counter);
  op.occupies = occupied_by(op.unit, times);
  if (is_named(name, "DEPBAR")) read_limit(instruction.text, op);
  if (is_named(name, "LDGDEPBAR")) op.kind = MachineOp::Kind::CloseCopies;
  if (is_named(name, "LDC")) op.kind = MachineOp::Kind::LoadConstant;
  op.constant = constant_of(instruction.text);
  return op;
}

MachineProgram::MachineProgram(const KernelInfo& kernel, const MachineCode& code, const MachineTimes& times)
    : blocks_(kernel.blocks.size()), instructions_(code.instructions.size()) {
  for (std::uint32_t number = 0; number < code.instructions.size(); ++number) {
    ops_.push_back(machine_op(code.instructions[number], times));
    ops_.back().number = number;
  }
  if (code.first_of_block.size() != kernel.blocks.size())
    throw InputError(fmt::format("kernel {}: machine code of {} blocks, expected {}", kernel.name,
                                 code.first_of_block.size(), kernel.blocks.size()));
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const BlockInfo& info = kernel.blocks[b];
    const std::optional<std::uint32_t> first = code.first_of_block[b];
    if (first) {
      if (info.instructions > ops_.size() - *first)
        throw InputError(fmt::format("kernel {}: block {} has {} instructions from {} on, of {}", kernel.name,
                                     b, info.instructions, *first, ops_.size()));
      blocks_[b] = {*first, *first + info.instructions, {}};
    } else if (info.successors.size() == 2) {
      blocks_[b].guarded = info.successors.front().value();
    }
  }
  add_sites(kernel);
  add_ends(kernel, times.store_latency);
}

/// Of the instructions of a block behind which a warp takes `behind` - 1 cycles at least, or 0: ends. Returns the same of the first one.
Cycle MachineProgram::find_ends(const MachineBlock& block, Cycle behind, Cycle store_latency) {
  const auto cycles = [](Cycle one) { return static_cast<std::uint16_t>(std::max<Cycle>(one, 1) - 1); };
  for (std::uint32_t at = block.end; at-- > block.first;) {
    MachineOp& op = ops_[at];
    op.rest = std::min(op.rest, cycles(behind));  // functions are in several blocks
    const bool stores = op.accesses != 0 && op.is_long && kinds_[op.site] != AccessKind::Load;
    behind = behind == 0 ? 1 : behind + op.gap;
    behind = std::min(kFarFromEnd, std::max(behind, stores ? store_latency + 1 : Cycle{0}));
    op.to_end = std::min(op.to_end, cycles(behind));
  }
  return behind;
}

/// The shortest way from every block to an end, from block to block until none is shorter.
void MachineProgram::add_ends(const KernelInfo& kernel, Cycle store_latency) {
  for (MachineOp& op : ops_) op.to_end = op.rest = static_cast<std::uint16_t>(kFarFromEnd);
  std::vector<Cycle> from(blocks_.size(), kFarFromEnd);
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t b = blocks_.size(); b-- > 0;) {
      const BlockInfo& info = kernel.blocks[b];
      Cycle behind = info.successors.empty() ? 0 : kFarFromEnd;
      // Of a gate: what it guards may do nothing.
      for (const BlockId next : info.successors) behind = std::min(behind, from[next.value()]);
      if (!blocks_[b].guarded) behind = find_ends(blocks_[b], behind, store_latency);
      changes |= behind != from[b];
      from[b] = behind;
    }
  }
  if (!from.empty()) least_cycles_ = std::max<Cycle>(from.front(), 1) - 1;
}

void MachineProgram::add_sites(const KernelInfo& kernel) {
  lone_.resize(kernel.sites.size());
  for (std::uint32_t s = 0; s < kernel.sites.size(); ++s) {
    const SiteInfo& info = kernel.sites[s];
    kinds_.push_back(info.kind);
    returns_.push_back(info.kind == AccessKind::Load || info.kind == AccessKind::Atomic);
    lone_[s].unit = Unit::Memory;
    lone_[s].accesses = 1;
    lone_[s].site = s;
    lone_[s].is_long = is_long(info.space);
    if (!has_address(info.kind) || info.point.block.value() >= blocks_.size()) continue;
    const MachineBlock& block = blocks_[info.point.block.value()];
    const std::uint32_t at = block.first + info.point.position;
    if (at >= block.end) continue;
    MachineOp& op = ops_[at];
    if (op.accesses++ == 0) {
      op.site = s;
      op.unit = Unit::Memory;
      op.occupies = MachineOp::Occupies::Unit;
      op.is_long = is_long(info.space);
    }
    lone_[s].number = at;
  }
}

}  // namespace warpscope::timed
