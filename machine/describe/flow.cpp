#include "machine/describe/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "machine/execute/base/fault.h"
#include "machine/execute/warp.h"

namespace warpscope::machine {
namespace {

/// Successors of the calls through pointers of a kernel, in all.
constexpr std::size_t kMostCalls = 1U << 20;

bool is_always(PredicateSource source) {
  return (source.place & 7) == kTruePredicate && !source.negated;
}

/// By place of an indirect branch: its targets, as the cubin's attributes say: address, 0, how many, targets.
std::map<std::uint32_t, std::vector<std::uint32_t>> indirect_targets(const Code& code) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> found;
  for_each_attribute(code.cubin(), code.image(), [&](const InfoRecord& record, std::uint32_t base) {
    if (record.attribute != InfoAttribute::INDIRECT_BRANCH_TARGETS) return;
    const auto place = [&](std::size_t word) {
      return base + static_cast<std::uint32_t>(record.word(word) / kInstructionBytes);
    };
    for (std::size_t at = 0; at + 3 <= record.words();) {
      std::vector<std::uint32_t>& targets = found[place(at)];
      const std::size_t end = std::min(at + 3 + record.word(at + 2), record.words());
      for (at += 3; at < end; ++at) targets.push_back(place(at));
    }
  });
  for (auto& [from, targets] : found) {
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  }
  return found;
}

/// Where functions begin that a pointer may lead to, ascending: all of the code's, but those that ptxas has for itself, such as divisions.
std::vector<std::uint32_t> functions_of(const Code& code) {
  std::vector<std::uint32_t> found;
  for (const Function& function : code.cubin().functions()) {
    if (function.is_kernel || function.name.find("$__internal_") != std::string::npos) continue;
    for (const CodeSection& one : code.image().sections())
      if (one.section == function.section && function.offset < one.bytes)
        found.push_back(static_cast<std::uint32_t>((one.base + function.offset) / kInstructionBytes));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool calls_through_pointer(const Operation& operation) {
  return operation.flow == Flow::CallIndirect && operation.bits != kSystemCall;
}

/// Whether its lanes may go elsewhere for good: by conditional calls, too, ptxas leaves loops and functions.
bool is_jump(const Operation& operation) {
  return operation.flow == Flow::Branch || operation.flow == Flow::BranchIndirect ||
         (operation.flow == Flow::Call && is_conditional(operation));
}

}  // namespace

bool is_conditional(const Operation& operation) {
  const bool divides = operation.flow == Flow::Branch && operation.bits != 0;
  const bool has_second = operation.flow == Flow::Branch && !is_always(operation.inputs[1]);
  return !is_always(operation.guard) || !is_always(operation.inputs[0]) || has_second || divides;
}

bool is_guarded_access(const Code& code, std::uint32_t instruction) {
  const Operation& operation = code.operations()[instruction];
  return operation.is_guarded_access || operation.accesses_texture;
}

CodeFlow::CodeFlow(const Code& code, const TextureAccesses& textures)
    : block_of_(code.operations().size(), kNoBlock),
      gate_of_(code.operations().size(), kNoBlock),
      leads_(code.operations().size()),
      is_reached_(code.operations().size()),
      functions_(functions_of(code)),
      returns_(code.operations().size()) {
  find_ends_of_collectives(code);
  find_leaders(code);
  find_returns(code);
  make_blocks(code);
  add_accesses(textures);
  order_blocks(gate_of_[code.entry()] != kNoBlock ? gate_of_[code.entry()] : block_of_[code.entry()]);
  find_post_dominators();
}

/// Where an instruction leads besides the next one, returns left out.
std::vector<std::uint32_t> CodeFlow::targets_of(const Code& code, std::uint32_t instruction) const {
  const Operation& operation = code.operations()[instruction];
  switch (operation.flow) {
    case Flow::Branch:
    case Flow::Call:
      return {operation.target};
    case Flow::CallIndirect:
      return calls_through_pointer(operation) ? functions_ : std::vector<std::uint32_t>();
    case Flow::BranchIndirect: {
      const auto known = indirect_targets(code);
      const auto found = known.find(instruction);
      return found == known.end() ? std::vector<std::uint32_t>() : found->second;
    }
    case Flow::Return:
    case Flow::EndCollective:
      return returns_[instruction];
    case Flow::BeginCollective:
      return {instruction + 1, static_cast<std::uint32_t>(operation.offset)};
    default:
      return {};
  }
}

void CodeFlow::find_leaders(const Code& code) {
  open_ = {code.entry()};
  leads_[code.entry()] = true;
  while (!open_.empty()) {
    const std::uint32_t first = open_.back();
    open_.pop_back();
    if (!is_reached_[first]) visit(code, first);
  }
}

void CodeFlow::visit(const Code& code, std::uint32_t first) {
  const auto lead = [&](std::uint32_t place) {
    if (place >= code.instructions().size())
      throw ExecutionFault(fmt::format("kernel {}: jumps out of its code", code.kernel().name));
    leads_[place] = true;
    if (!is_reached_[place]) open_.push_back(place);
  };
  // Behind the instructions are functions of the system, which are called through pointers only.
  for (std::uint32_t place = first; place < code.instructions().size() && !is_reached_[place]; ++place) {
    is_reached_[place] = true;
    const Operation& operation = code.operations()[place];
    if (is_guarded_access(code, place)) {
      leads_[place] = true;
      lead(place + 1);
    }
    // Others may be with them afterwards.
    const bool may_wait = operation.flow == Flow::Synchronise || operation.flow == Flow::WarpSync ||
                          operation.flow == Flow::GroupBarrier || operation.flow == Flow::ClusterWait ||
                          operation.flow == Flow::WarpGroupWait || operation.flow == Flow::Yield;
    if (may_wait) lead(place + 1);
    const std::vector<std::uint32_t> targets = targets_of(code, place);
    for (const std::uint32_t target : targets) lead(target);
    const bool ends = !targets.empty() || calls_through_pointer(operation) || operation.flow == Flow::Exit ||
                      operation.flow == Flow::Return || operation.flow == Flow::BranchIndirect ||
                      operation.flow == Flow::Trap || operation.flow == Flow::Unknown;
    if (!ends) continue;
    // Behind a call its function returns.
    const bool goes_on =
        operation.flow == Flow::Call || operation.flow == Flow::CallIndirect ||
        (operation.flow != Flow::Trap && operation.flow != Flow::Unknown && is_conditional(operation));
    if (goes_on) lead(place + 1);
    return;
  }
}

/// From the end of a body its own lanes go on, and those of all others with the same instructions if it is their first one.
void CodeFlow::find_ends_of_collectives(const Code& code) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> after;  // by body
  for (const Operation& operation : code.operations())
    if (operation.flow == Flow::BeginCollective)
      after[static_cast<std::uint32_t>(operation.offset)].push_back(operation.target);
  std::uint32_t body = 0;
  for (std::uint32_t place = 0; place < code.operations().size(); ++place) {
    const Operation& operation = code.operations()[place];
    if (operation.flow == Flow::BeginCollective) body = place + 1;
    if (operation.flow != Flow::EndCollective) continue;
    returns_[place] = {operation.target};
    if (body != static_cast<std::uint32_t>(operation.offset)) continue;
    for (const std::uint32_t target : after[body])
      if (target != operation.target) returns_[place].push_back(target);
  }
}

/// A return leads behind every call of a function that reaches it without another call, but for calls that may be jumps.
void CodeFlow::find_returns(const Code& code) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> calls;  // by entry of the function
  std::vector<std::uint32_t> through_pointers;
  for (std::uint32_t place = 0; place < code.operations().size(); ++place) {
    if (!is_reached_[place]) continue;
    const Operation& operation = code.operations()[place];
    if (operation.flow == Flow::Call) calls[operation.target].push_back(place + 1);
    if (calls_through_pointer(operation)) through_pointers.push_back(place + 1);
  }
  if (through_pointers.size() * functions_.size() > kMostCalls)
    throw ExecutionFault(
        fmt::format("kernel {}: {} calls through pointers and {} functions, which are not recorded",
                    code.kernel().name, through_pointers.size(), functions_.size()));
  for (const auto& [entry, after] : calls) add_returns(code, {entry}, after);
  calls_through_pointers_ = !through_pointers.empty();
  if (calls_through_pointers_) add_returns(code, functions_, through_pointers);
  for (std::vector<std::uint32_t>& places : returns_) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
}

/// `after`: where the callers go on of the functions that begin at `open`.
void CodeFlow::add_returns(const Code& code, std::vector<std::uint32_t> open,
                           const std::vector<std::uint32_t>& after) {
  std::vector<bool> seen(code.operations().size());
  while (!open.empty()) {
    const std::uint32_t place = open.back();
    open.pop_back();
    if (place >= seen.size() || seen[place]) continue;
    seen[place] = true;
    const Operation& operation = code.operations()[place];
    if (operation.flow == Flow::Return)
      returns_[place].insert(returns_[place].end(), after.begin(), after.end());
    if (is_jump(operation))
      for (const std::uint32_t target : targets_of(code, place)) open.push_back(target);
    // Lanes of others that are in the body, too, return elsewhere.
    if (operation.flow == Flow::EndCollective) open.push_back(operation.target);
    const bool ends = (is_jump(operation) || operation.flow == Flow::EndCollective ||
                       operation.flow == Flow::Return || operation.flow == Flow::Exit) &&
                      !is_conditional(operation);
    if (!ends) open.push_back(place + 1);
  }
}

void CodeFlow::make_blocks(const Code& code) {
  const std::size_t size = code.operations().size();
  const auto add = [&](CodeBlock::Kind kind, std::uint32_t first) {
    blocks_.push_back({kind, first, 0, 0, {}, {}, {}});
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  };
  for (std::uint32_t place = 0; place < size; ++place) {
    if (!is_reached_[place]) continue;
    if (is_guarded_access(code, place)) gate_of_[place] = add(CodeBlock::Kind::Gate, place);
    const bool begins = leads_[place] || place == 0 || !is_reached_[place - 1];
    block_of_[place] = begins ? add(CodeBlock::Kind::Code, place) : block_of_[place - 1];
    ++blocks_[block_of_[place]].count;
  }
  const std::uint32_t end = add(CodeBlock::Kind::End, 0);
  const auto entry_of = [&](std::uint32_t place) {
    if (place >= size || block_of_[place] == kNoBlock) return end;
    return gate_of_[place] != kNoBlock ? gate_of_[place] : block_of_[place];
  };
  for (CodeBlock& block : blocks_) {
    if (block.kind == CodeBlock::Kind::End) continue;
    if (block.kind == CodeBlock::Kind::Gate) {
      block.successors = block.goes_on = {block_of_[block.first], entry_of(block.first + 1)};
      continue;
    }
    const std::uint32_t last = block.first + block.count - 1;
    const Operation& operation = code.operations()[last];
    const std::vector<std::uint32_t> targets = targets_of(code, last);
    const bool is_single = operation.flow == Flow::Branch || operation.flow == Flow::Call;
    switch (operation.flow) {
      case Flow::Trap:
      case Flow::Unknown:
        break;
      case Flow::Exit:
        if (is_conditional(operation)) block.successors = {entry_of(last + 1), end};
        break;
      case Flow::BeginCollective:
      case Flow::EndCollective:
        for (const std::uint32_t target : targets)
          if (std::find(block.successors.begin(), block.successors.end(), entry_of(target)) ==
              block.successors.end())
            block.successors.push_back(entry_of(target));
        break;
      case Flow::Branch:
      case Flow::Call:
      case Flow::CallIndirect:
      case Flow::Return:
      case Flow::BranchIndirect:
        // A call through a pointer may be of a function of the system, behind which its lanes go on.
        if (is_conditional(operation) || operation.flow == Flow::CallIndirect)
          block.successors.push_back(entry_of(last + 1));
        block.goes_on = block.successors;
        if (operation.flow == Flow::Call && block.goes_on.empty())
          block.goes_on.push_back(entry_of(last + 1));
        for (const std::uint32_t target : targets)
          if (!is_single || block.successors.empty() || block.successors.front() != entry_of(target))
            block.successors.push_back(entry_of(target));
        break;
      default:
        block.successors = {entry_of(last + 1)};
    }
    const bool is_call =
        (operation.flow == Flow::Call || operation.flow == Flow::CallIndirect) && !is_jump(operation);
    const bool is_collective =
        operation.flow == Flow::BeginCollective || operation.flow == Flow::EndCollective;
    if (is_collective)
      block.goes_on = {entry_of(operation.flow == Flow::EndCollective ? operation.target : last + 1)};
    else if (!is_call && operation.flow != Flow::Return)
      block.goes_on = block.successors;
  }
}

/// Of an instruction for textures each access but the first: a gate and a block, in a chain behind the first ones.
void CodeFlow::add_accesses(const TextureAccesses& textures) {
  for (const auto& [place, accesses] : textures) {
    if (!is_reached_[place]) continue;
    std::uint32_t gate = gate_of_[place], access = block_of_[place];
    const std::uint32_t behind = blocks_[gate].successors[1];
    for (std::uint32_t number = 1; number < accesses.size(); ++number) {
      const auto next = static_cast<std::uint32_t>(blocks_.size());
      blocks_[gate].successors[1] = next;
      blocks_[access].successors = {next};
      blocks_.push_back({CodeBlock::Kind::Gate, place, 0, number, {next + 1, behind}, {}, {}});
      blocks_.push_back({CodeBlock::Kind::Code, place, 0, number, {behind}, {}, {}});
      for (const std::uint32_t block : {gate, access}) blocks_[block].goes_on = blocks_[block].successors;
      gate = next;
      access = next + 1;
    }
    for (const std::uint32_t block : {gate, access}) blocks_[block].goes_on = blocks_[block].successors;
  }
}

/// Reverse post-order from the entry; blocks that cannot be reached go.
void CodeFlow::order_blocks(std::uint32_t entry) {
  std::vector<std::uint32_t> order, state(blocks_.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> path{{entry, 0}};
  state[entry] = 1;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == blocks_[block].successors.size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const std::uint32_t successor = blocks_[block].successors[next++];
    if (state[successor] != 0) continue;
    state[successor] = 1;
    path.emplace_back(successor, 0);
  }
  std::reverse(order.begin(), order.end());
  std::vector<std::uint32_t> number(blocks_.size(), kNoBlock);
  for (std::uint32_t place = 0; place < order.size(); ++place) number[order[place]] = place;
  std::vector<CodeBlock> ordered;
  for (const std::uint32_t block : order) {
    ordered.push_back(std::move(blocks_[block]));
    for (std::uint32_t& successor : ordered.back().successors) successor = number[successor];
    std::erase_if(ordered.back().goes_on, [&](std::uint32_t other) { return number[other] == kNoBlock; });
    for (std::uint32_t& successor : ordered.back().goes_on) successor = number[successor];
  }
  blocks_ = std::move(ordered);
  for (std::vector<std::uint32_t>* places : {&block_of_, &gate_of_})
    for (std::uint32_t& block : *places)
      if (block != kNoBlock) block = number[block];
}

/// Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph. The end of the kernel is one block more.
void CodeFlow::find_post_dominators() {
  const auto count = static_cast<std::uint32_t>(blocks_.size());
  const std::uint32_t end = count;
  std::vector<std::vector<std::uint32_t>> before(count + 1);
  for (std::uint32_t block = 0; block < count; ++block) {
    for (const std::uint32_t successor : blocks_[block].goes_on) before[successor].push_back(block);
    if (blocks_[block].goes_on.empty()) before[end].push_back(block);
  }
  std::vector<std::uint32_t> order, rank(count + 1, kNoBlock), path{end};
  std::vector<std::size_t> next(count + 1);
  std::vector<bool> seen(count + 1);
  seen[end] = true;
  while (!path.empty()) {
    const std::uint32_t block = path.back();
    if (next[block] == before[block].size()) {
      rank[block] = static_cast<std::uint32_t>(order.size());
      order.push_back(block);
      path.pop_back();
      continue;
    }
    const std::uint32_t other = before[block][next[block]++];
    if (seen[other]) continue;
    seen[other] = true;
    path.push_back(other);
  }
  std::vector<std::uint32_t> dominator(count + 1, kNoBlock);
  dominator[end] = end;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b]) a = dominator[a];
      while (rank[b] < rank[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      if (*block == end) continue;
      std::uint32_t found = blocks_[*block].goes_on.empty() ? end : kNoBlock;
      for (const std::uint32_t successor : blocks_[*block].goes_on)
        if (dominator[successor] != kNoBlock) found = found == kNoBlock ? successor : meet(found, successor);
      if (found == dominator[*block]) continue;
      dominator[*block] = found;
      changed = true;
    }
  }
  for (std::uint32_t block = 0; block < count; ++block)
    if (dominator[block] != kNoBlock && dominator[block] != end)
      blocks_[block].post_dominator = dominator[block];
}

std::optional<std::uint32_t> CodeFlow::outcome_to(std::uint32_t instruction, std::uint32_t target) const {
  const CodeBlock& block = blocks_[block_of_[instruction]];
  const std::uint32_t to = gate_of_[target] != kNoBlock ? gate_of_[target] : block_of_[target];
  for (std::uint32_t outcome = 0; outcome < block.successors.size(); ++outcome)
    if (block.successors[outcome] == to) return outcome;
  return std::nullopt;
}

}  // namespace warpscope::machine
