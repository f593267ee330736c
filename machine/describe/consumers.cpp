#include "machine/describe/consumers.h"

#include <algorithm>
#include <set>

#include "machine/describe/flow.h"
#include "machine/execute/warp.h"

namespace warpscope::machine {
namespace {

RegisterSets both(const RegisterSets& a, const RegisterSets& b) {
  return {a.registers & b.registers, a.uniform & b.uniform,
          static_cast<std::uint8_t>(a.predicates & b.predicates),
          static_cast<std::uint8_t>(a.uniform_predicates & b.uniform_predicates)};
}

bool is_empty(const RegisterSets& sets) {
  return sets.registers.none() && sets.uniform.none() && sets.predicates == 0 && sets.uniform_predicates == 0;
}

void remove(RegisterSets& from, const RegisterSets& what) {
  from.registers &= ~what.registers;
  from.uniform &= ~what.uniform;
  from.predicates = static_cast<std::uint8_t>(from.predicates & ~what.predicates);
  from.uniform_predicates = static_cast<std::uint8_t>(from.uniform_predicates & ~what.uniform_predicates);
}

bool contains(const RegisterSets& all, const RegisterSets& some) {
  RegisterSets rest = some;
  remove(rest, all);
  return is_empty(rest);
}

void join(RegisterSets& into, const RegisterSets& other) {
  into.registers |= other.registers;
  into.uniform |= other.uniform;
  into.predicates |= other.predicates;
  into.uniform_predicates |= other.uniform_predicates;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> successors_of(const Code& code, const CodeFlow& flow) {
  std::vector<std::vector<std::uint32_t>> found(code.operations().size());
  const auto first_of = [&](std::uint32_t block, auto&& self) -> std::vector<std::uint32_t> {
    const CodeBlock& one = flow.blocks()[block];
    if (one.kind == CodeBlock::Kind::End) return {};
    if (one.kind == CodeBlock::Kind::Code) return {one.first};
    return self(one.successors.front(), self);  // a gate: the access is executed, if only by some lanes
  };
  for (const CodeBlock& block : flow.blocks()) {
    if (block.kind != CodeBlock::Kind::Code) continue;
    for (std::uint32_t place = block.first; place + 1 < block.first + block.count; ++place)
      found[place] = {place + 1};
    for (const std::uint32_t successor : block.successors)
      for (const std::uint32_t place : first_of(successor, first_of))
        found[block.first + block.count - 1].push_back(place);
  }
  return found;
}

std::vector<std::uint32_t> first_uses(const Code& code, std::span<const Effects> all_effects,
                                      const std::vector<std::vector<std::uint32_t>>& successors,
                                      std::uint32_t producer) {
  struct Step {
    std::uint32_t place;
    RegisterSets left;  ///< written, and neither read nor written again
  };
  const RegisterSets& written = all_effects[producer].writes;
  std::vector<RegisterSets> seen(code.operations().size());
  std::set<std::uint32_t> uses;
  std::vector<Step> open;
  for (const std::uint32_t place : successors[producer]) open.push_back({place, written});
  while (!open.empty()) {
    Step step = open.back();
    open.pop_back();
    if (contains(seen[step.place], step.left)) continue;
    join(seen[step.place], step.left);
    const Effects& effects = all_effects[step.place];
    const RegisterSets read = both(effects.reads, step.left);
    if (!is_empty(read)) uses.insert(step.place);
    // A value that is used has arrived: all of it.
    if (!is_empty(read)) continue;
    if (code.operations()[step.place].guard.place % 8 == kTruePredicate) remove(step.left, effects.writes);
    if (is_empty(step.left)) continue;
    for (const std::uint32_t next : successors[step.place]) open.push_back({next, step.left});
  }
  return {uses.begin(), uses.end()};
}

}  // namespace warpscope::machine
