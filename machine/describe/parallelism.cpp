#include "machine/describe/parallelism.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "machine/describe/mix.h"
#include "machine/describe/register_numbers.h"

namespace warpscope::machine {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

class BlockGraph {
 public:
  explicit BlockGraph(const Code& code) : code_(code) { writer_.fill(kNone); }

  void add(std::uint32_t place, const Effects& effects) {
    Node next;
    const Instruction& instruction = code_.instructions()[place];
    if (const char* kind = class_of(code_.decoder(), instruction)) next.kind = kind;
    next.is_step = !next.kind.empty();
    next.is_load = next.kind == "load_global";
    next.steps = next.is_step ? 1 : 0;
    const auto use = [&](std::uint32_t number) {
      if (writer_[number] == kNone) return;
      follow(next, writer_[number], true);
      if (nodes_[writer_[number]].group == groups_) group_is_open_ = false;
    };
    for_each_register(effects.reads, use);
    // Where the guard fails the old value stays.
    if (instruction.guard_predicate() != kTruePredicate) for_each_register(effects.writes, use);
    follow_memory(next, effects);
    if (next.is_load) {
      ++result_.loads;
      groups_ += group_is_open_ ? 0 : 1;
      group_is_open_ = true;
      next.group = groups_;
    }
    for_each_register(effects.writes, [&](std::uint32_t number) { writer_[number] = nodes_.size(); });
    nodes_.push_back(next);
  }

  BlockParallelism result() {
    std::size_t end = kNone;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].steps > (end == kNone ? 0 : nodes_[end].steps)) end = node;
      if (nodes_[node].is_load)
        result_.load_steps = std::max(result_.load_steps, nodes_[node].loads_done + 1);
    }
    for (; end != kNone; end = nodes_[end].before)
      if (nodes_[end].is_step) ++result_.path[std::string(nodes_[end].kind)];
    result_.load_groups = groups_;
    return result_;
  }

 private:
  struct Node {
    std::string_view kind;
    bool is_step = false, is_load = false;
    std::uint32_t steps = 0;       ///< on the longest chain that ends here
    std::uint32_t loads_done = 0;  ///< loads on the longest chain of loads in front
    std::uint32_t group = 0;       ///< of a load; 0: it is none
    std::size_t before = kNone;    ///< on that chain
  };
  struct Written {
    MemorySpace space;
    std::size_t node;
  };

  void follow(Node& after, std::size_t before, bool needs_value) const {
    const Node& earlier = nodes_[before];
    const std::uint32_t steps = earlier.steps + (after.is_step ? 1 : 0);
    // Of equal chains the one that ends first in program order.
    if (steps > after.steps || (steps == after.steps && after.before != kNone && before < after.before)) {
      after.steps = steps;
      after.before = before;
    }
    after.loads_done =
        std::max(after.loads_done, earlier.loads_done + (needs_value && earlier.is_load ? 1 : 0));
  }

  void follow_memory(Node& next, const Effects& effects) {
    const std::size_t number = nodes_.size();
    const bool is_barrier = next.kind == "barrier";
    const bool is_access = effects.space != MemorySpace::None && effects.space != MemorySpace::Constant;
    if (is_barrier) {
      for (const std::size_t access : since_barrier_) follow(next, access, false);
      since_barrier_.clear();
      written_.clear();
    }
    if (barrier_ != kNone && (is_access || is_barrier)) follow(next, barrier_, true);
    if (is_barrier) barrier_ = number;
    if (!is_access) return;
    if (effects.loads)
      for (auto one = written_.rbegin(); one != written_.rend(); ++one)
        if (may_be_same(one->space, effects.space)) {
          follow(next, one->node, true);
          break;
        }
    if (effects.stores) written_.push_back({effects.space, number});
    since_barrier_.push_back(number);
  }

  static bool may_be_same(MemorySpace a, MemorySpace b) {
    return a == b || a == MemorySpace::Generic || b == MemorySpace::Generic;
  }

  const Code& code_;
  std::vector<Node> nodes_;
  std::array<std::size_t, kRegisterNumbers> writer_{};  ///< by register: the node that wrote it last
  std::vector<std::size_t> since_barrier_;              ///< accesses
  std::vector<Written> written_;
  std::size_t barrier_ = kNone;
  std::uint32_t groups_ = 0;
  bool group_is_open_ = false;
  BlockParallelism result_;
};

}  // namespace

BlockParallelism parallelism_of(const Code& code, std::span<const Effects> effects, std::uint32_t first,
                                std::uint32_t count) {
  BlockGraph graph(code);
  for (std::uint32_t place = first; place < first + count; ++place) graph.add(place, effects[place]);
  return graph.result();
}

}  // namespace warpscope::machine
