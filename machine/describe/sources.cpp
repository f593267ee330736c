#include "machine/describe/sources.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "machine/describe/describe_kernel.h"
#include "machine/describe/mix.h"
#include "machine/describe/register_numbers.h"
#include "machine/isa/printer.h"

namespace warpscope::machine {
namespace {

/// S2R R0, SR_TID.X: the number of a work-item or of its work-group.
bool is_work_item_number(const Code& code, const Instruction& instruction) {
  const std::string_view name = code.decoder().row(instruction).name;
  if (name != "S2R" && name != "S2UR" && name != "CS2R") return false;
  const std::string text = text_of(code.decoder(), instruction);
  return text.find("SR_TID") != std::string::npos || text.find("SR_CTAID") != std::string::npos;
}

RegisterSets guard_of(const Code& code, const Instruction& instruction) {
  RegisterSets sets;
  const auto bit = static_cast<std::uint8_t>(1U << instruction.guard_predicate());
  if (instruction.guard_predicate() == kTruePredicate) return sets;
  (code.decoder().row(instruction).uniform_guard ? sets.uniform_predicates : sets.predicates) = bit;
  return sets;
}

std::size_t count_of(const RegisterSets& sets) {
  return sets.registers.count() + sets.uniform.count() +
         static_cast<std::size_t>(std::popcount(sets.predicates) + std::popcount(sets.uniform_predicates));
}

/// How many of the registers in `written` are read.
std::size_t common(const RegisterSets& written, const RegisterSets& read) {
  return count_of({written.registers & read.registers, written.uniform & read.uniform,
                   static_cast<std::uint8_t>(written.predicates & read.predicates),
                   static_cast<std::uint8_t>(written.uniform_predicates & read.uniform_predicates)});
}

}  // namespace

ValueSources::ValueSources(const Code& code, std::span<const Effects> effects,
                           std::span<const std::uint32_t> site_of,
                           const std::vector<std::vector<std::uint32_t>>& successors)
    : code_(code),
      effects_(effects),
      site_of_(site_of),
      before_(successors.size()),
      mark_(2 * successors.size()),
      seen_steps_(6 * successors.size()),
      seen_sites_(3 * successors.size()),
      nodes_(successors.size()) {
  for (std::uint32_t place = 0; place < successors.size(); ++place)
    for (const std::uint32_t next : successors[place]) before_[next].push_back(place);
}

/// The instructions whose value may be in a register when `place` reads it. One with a guard leaves the value of another in the lanes where
/// that fails; those do not read it if the reader has the same guard.
const std::vector<ValueSources::Definition>& ValueSources::definitions(std::uint32_t place,
                                                                       std::uint32_t number) {
  const auto [entry, is_new] = known_.try_emplace(std::uint64_t{place} * kRegisterNumbers + number);
  if (!is_new) return entry->second;
  ++marks_;
  const std::uint8_t guard = code_.instructions()[place].guard;
  const RegisterSets predicate = guard_of(code_, code_.instructions()[place]);
  struct At {
    std::uint32_t place;
    bool has_guard;  ///< the reader's guard has not been written since
  };
  std::vector<At> open;
  for (const std::uint32_t before : before_[place]) open.push_back({before, true});
  while (!open.empty()) {
    const At at = open.back();
    open.pop_back();
    std::uint32_t& mark = mark_[2 * at.place + (at.has_guard ? 1 : 0)];
    if (mark == marks_) continue;
    mark = marks_;
    const Instruction& instruction = code_.instructions()[at.place];
    if (has_register(effects_[at.place].writes, number)) {
      const bool has_none = instruction.guard_predicate() == kTruePredicate;
      const bool is_certain = has_none || (at.has_guard && instruction.guard == guard);
      entry->second.push_back({at.place, is_certain});
      if (is_certain) continue;
    }
    const bool has_guard = at.has_guard && common(effects_[at.place].writes, predicate) == 0;
    for (const std::uint32_t before : before_[at.place]) open.push_back({before, has_guard});
  }
  return entry->second;
}

ValueSources::Search ValueSources::begin() {
  ++searches_;
  return {};
}

std::vector<ValueSources::Edge> ValueSources::edges(std::uint32_t place, const RegisterSets& registers) {
  std::vector<Edge> result;
  for_each_register(registers, [&](std::uint32_t number) {
    const std::vector<Definition>& found = definitions(place, number);
    for (const Definition& from : found) {
      const RegisterSets& written = effects_[from.place].writes;
      const bool is_cut = site_of_[from.place] != kNoSite && common(written, registers) < count_of(written);
      result.push_back({from.place, found.size() > 1 || is_cut, from.is_certain});
    }
  });
  return result;
}

void ValueSources::follow(Search& search, const std::vector<Edge>& edges, How how) {
  for (const Edge& edge : edges) {
    const How own = edge.is_part ? std::max(how, How::Part) : how;
    const auto way = static_cast<std::size_t>(own);
    if (const std::uint32_t site = site_of_[edge.place]; site != kNoSite) {
      if (std::exchange(seen_sites_[edge.place * std::size_t{3} + way], searches_) != searches_)
        search.sites[way].push_back(site);
    } else if (const Step step{edge.place, own, !edge.is_certain};
               std::exchange(seen_steps_[step.number()], searches_) != searches_) {
      search.open.push_back(step);
    }
  }
}

const ValueSources::Node& ValueSources::node(std::uint32_t place) {
  Node& made = nodes_[place];
  if (std::exchange(made.is_made, true)) return made;
  const Instruction& instruction = code_.instructions()[place];
  const Effects& effects = effects_[place];
  if (!instruction.is_known()) return made;
  made.is_work_item = is_work_item_number(code_, instruction);
  made.has_values = !made.is_work_item;
  if (!made.has_values || effects.loads) return made;  // what is loaded has constants and textures
  const char* kind = class_of(code_.decoder(), instruction);
  made.is_compare = kind != nullptr && kind == std::string_view("compare");
  const RegisterSets guard = guard_of(code_, instruction);
  RegisterSets others = effects.reads;
  others.predicates = static_cast<std::uint8_t>(others.predicates & ~guard.predicates);
  others.uniform_predicates =
      static_cast<std::uint8_t>(others.uniform_predicates & ~guard.uniform_predicates);
  made.values = edges(place, others);
  made.guard = edges(place, guard);
  return made;
}

void ValueSources::take_constants(Search& search, std::uint32_t place) const {
  const Instruction& instruction = code_.instructions()[place];
  for (std::size_t slot = 0; slot < instruction.operand_count; ++slot) {
    const Operand& operand = instruction.operands[slot];
    const bool has_index = operand.kind == OperandKind::ConstantIndexed;
    if ((!has_index && operand.kind != OperandKind::Constant) || instruction.bank() != 0) continue;
    const bool index_is_zero = operand.value == kZeroRegister || operand.value == kZeroUniformRegister;
    if (has_index && !index_is_zero) continue;
    const auto offset = has_index ? static_cast<std::uint32_t>(instruction.immediate) : operand.value;
    const auto& parameters = code_.kernel().parameters;
    for (std::uint32_t number = 0; number < parameters.size(); ++number)
      if (offset - code_.kernel().parameter_bank_offset - parameters[number].offset <
          parameters[number].bytes)
        search.parameters.insert(number);
  }
}

void ValueSources::visit(Search& search, Step step) {
  const Node& at = node(step.place);
  search.work_item |= at.is_work_item;
  if (at.has_values && step.how != How::Choice) take_constants(search, step.place);
  follow(search, at.values, at.is_compare ? How::Choice : step.how);
  if (step.guard_decides) follow(search, at.guard, How::Choice);
}

ValueSources::Found ValueSources::run(Search& search) {
  while (!search.open.empty()) {
    const Step step = search.open.back();
    search.open.pop_back();
    visit(search, step);
  }
  Found found;
  std::vector<SiteId>* lists[] = {&found.sources.value, &found.sources.part, &found.sources.choice};
  for (std::size_t how = 0; how < 3; ++how) {
    std::sort(search.sites[how].begin(), search.sites[how].end());
    for (const std::uint32_t site : search.sites[how]) lists[how]->emplace_back(site);
  }
  found.sources.work_item = search.work_item;
  found.parameters = std::move(search.parameters);
  return found;
}

ValueSources::Found ValueSources::of(std::uint32_t place, const RegisterSets& registers) {
  Search search = begin();
  follow(search, edges(place, registers), How::Whole);
  return run(search);
}

std::vector<SiteId> ValueSources::of_decision(std::uint32_t place) {
  const Instruction& instruction = code_.instructions()[place];
  // Of an access, and of an end, only the guard decides; of a branch all that it reads.
  const bool is_branch = code_.operations()[place].flow == Flow::Branch ||
                         code_.operations()[place].flow == Flow::BranchIndirect;
  Search search = begin();
  follow(search, edges(place, is_branch ? effects_[place].reads : guard_of(code_, instruction)), How::Choice);
  return run(search).sources.choice;
}

}  // namespace warpscope::machine
