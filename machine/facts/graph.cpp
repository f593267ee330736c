#include "machine/facts/graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace warpscope::machine {
namespace {

using Targets = std::map<std::uint32_t, std::vector<std::uint32_t>>;

/// Address of an indirect branch -> targets: records of address, 0, how many, targets.
Targets indirect_targets(const Cubin& cubin, const Function& function) {
  Targets found;
  const auto in_function =
      [&](std::uint32_t address) {  // below the function: a number that no instruction has
        return static_cast<std::uint32_t>(address - function.offset);
      };
  const ElfSection* info = cubin.elf().section(".nv.info." + function.name);
  if (info == nullptr) return found;
  for (const InfoRecord& record : read_info(info->content)) {
    if (record.attribute != InfoAttribute::INDIRECT_BRANCH_TARGETS) continue;
    for (std::size_t at = 0; at + 3 <= record.words();) {
      std::vector<std::uint32_t>& targets = found[in_function(record.word(at))];
      const std::size_t end = at + 3 + record.word(at + 2);
      for (at += 3; at < end; ++at) targets.push_back(in_function(record.word(at)));
    }
  }
  return found;
}

bool is_unconditional(const Instruction& one) {
  if (one.guard_predicate() != kTruePredicate) return false;
  for (std::size_t slot = 0; slot < one.operand_count; ++slot)
    if (one.operands[slot].kind == OperandKind::Predicate && one.operands[slot].value != kTruePredicate)
      return false;
  return true;
}

std::optional<std::uint32_t> target_of(const Instruction& one) {
  for (std::size_t slot = 0; slot < one.operand_count; ++slot)
    if (one.operands[slot].kind == OperandKind::Target) return static_cast<std::uint32_t>(one.immediate);
  return std::nullopt;
}

class Builder {
 public:
  Builder(const Cubin& cubin, const Function& function, const Decoder& decoder,
          const std::vector<Instruction>& code)
      : decoder_(decoder), code_(code), indirect_(indirect_targets(cubin, function)) {}

  std::vector<FlowBlock> run() {
    find_leaders();
    for (const std::uint32_t leader : leaders_) {
      numbers_[leader] = static_cast<std::uint32_t>(blocks_.size());
      blocks_.push_back({code_[leader].address, leader, 0, {}, false});
    }
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
      const std::size_t end = number + 1 < blocks_.size() ? blocks_[number + 1].first : code_.size();
      blocks_[number].count = static_cast<std::uint32_t>(end) - blocks_[number].first;
      connect(blocks_[number]);
    }
    return std::move(blocks_);
  }

 private:
  [[nodiscard]] std::string_view name(const Instruction& one) const {
    return one.is_known() ? decoder_.row(one).name : std::string_view();
  }
  [[nodiscard]] bool is_indirect(const Instruction& one) const {
    return name(one) == "BRX" || name(one) == "BRXU" || name(one) == "JMX";
  }
  /// A branch within the function; a call of its own code, with which the compiler leaves a loop, is one.
  [[nodiscard]] std::optional<std::uint32_t> branch_target(const Instruction& one) const {
    if (name(one) != "BRA" && name(one) != "JMP" && name(one) != "CALL") return std::nullopt;
    const auto target = target_of(one);
    if (!target || *target % kInstructionBytes != 0 || *target / kInstructionBytes >= code_.size())
      return std::nullopt;
    return *target;
  }
  [[nodiscard]] bool ends(const Instruction& one) const {
    return name(one) == "EXIT" || name(one) == "RET" || name(one) == "KILL";
  }
  [[nodiscard]] std::uint32_t number_of(std::uint32_t address) const {
    return static_cast<std::uint32_t>(address / kInstructionBytes);
  }

  void find_leaders() {
    if (!code_.empty()) leaders_.insert(0);
    for (std::uint32_t number = 0; number < code_.size(); ++number) {
      const Instruction& one = code_[number];
      const auto target = branch_target(one);
      if (target) leaders_.insert(number_of(*target));
      if (is_indirect(one))
        for (const std::uint32_t place : targets(one)) leaders_.insert(number_of(place));
      if ((target || is_indirect(one) || ends(one)) && number + 1 < code_.size()) leaders_.insert(number + 1);
    }
  }

  /// Those in the function.
  [[nodiscard]] std::vector<std::uint32_t> targets(const Instruction& one) const {
    std::vector<std::uint32_t> found;
    const auto known = indirect_.find(one.address);
    if (known == indirect_.end()) return found;
    for (const std::uint32_t place : known->second)
      if (place % kInstructionBytes == 0 && place / kInstructionBytes < code_.size()) found.push_back(place);
    return found;
  }

  void connect(FlowBlock& block) {
    const std::uint32_t last = block.first + block.count - 1;
    const Instruction& one = code_[last];
    const auto add = [&](std::uint32_t number, FlowEdge::Kind kind) {
      const std::uint32_t other = numbers_.at(number);
      for (const FlowEdge& edge : block.successors)
        if (edge.block == other) return;
      block.successors.push_back({other, kind});
    };
    const auto target = branch_target(one);
    if (target) add(number_of(*target), FlowEdge::Kind::Branch);
    if (is_indirect(one)) {
      const std::vector<std::uint32_t> places = targets(one);
      block.has_unknown_targets = places.empty();
      for (const std::uint32_t place : places) add(number_of(place), FlowEdge::Kind::Indirect);
    }
    const bool leaves = target || is_indirect(one) || ends(one);
    if (!(leaves && is_unconditional(one)) && last + 1 < code_.size()) add(last + 1, FlowEdge::Kind::Next);
  }

  const Decoder& decoder_;
  const std::vector<Instruction>& code_;
  Targets indirect_;
  std::set<std::uint32_t> leaders_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<FlowBlock> blocks_;
};

}  // namespace

std::vector<FlowBlock> control_flow(const Cubin& cubin, const Function& function, const Decoder& decoder,
                                    const std::vector<Instruction>& code) {
  return Builder(cubin, function, decoder, code).run();
}

}  // namespace warpscope::machine
