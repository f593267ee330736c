#include "machine/describe/loops.h"

#include <algorithm>
#include <map>
#include <set>

namespace warpscope::machine {
namespace {

/// Natural loops (Aho, Lam, Sethi, Ullman, "Compilers", section 9.6): an edge to a block that dominates its source closes one. Blocks are
/// numbered in reverse post-order.
class Loops {
 public:
  explicit Loops(const CodeFlow& flow) : flow_(flow), before_(flow.blocks().size()) {
    find_roots();
    for (std::uint32_t block = 0; block < before_.size(); ++block)
      for (const std::uint32_t to : flow_.blocks()[block].goes_on) before_[to].push_back(block);
    find_dominators();
    for (std::uint32_t block = 0; block < before_.size(); ++block)
      for (const std::uint32_t to : flow_.blocks()[block].goes_on)
        if (dominates(to, block)) add_body(to, block);
  }

  void store(KernelInfo& info) const {
    // Outer loops have more blocks than those in them.
    std::vector<std::pair<std::uint32_t, const std::set<std::uint32_t>*>> ordered;
    ordered.reserve(bodies_.size());
    for (const auto& [header, body] : bodies_) ordered.emplace_back(header, &body);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.second->size() > b.second->size(); });
    for (const auto& [header, body] : ordered) {
      LoopInfo loop{BlockId(header), info.blocks[header].loop};
      loop.is_counted = false;
      const auto number = static_cast<std::uint32_t>(info.loops.size());
      for (const std::uint32_t block : *body) info.blocks[block].loop = number;
      info.loops.push_back(std::move(loop));
    }
  }

 private:
  static constexpr std::uint32_t kRoot = ~std::uint32_t{1};

  /// The entry, and those of functions, to which no block goes on: calls go on behind themselves.
  void find_roots() {
    is_root_.assign(before_.size(), false);
    std::vector<bool> seen(before_.size());
    for (std::uint32_t root = 0; root < before_.size(); ++root) {
      if (seen[root]) continue;
      is_root_[root] = true;
      std::vector<std::uint32_t> open{root};
      while (!open.empty()) {
        const std::uint32_t block = open.back();
        open.pop_back();
        if (seen[block]) continue;
        seen[block] = true;
        const std::vector<std::uint32_t>& to = flow_.blocks()[block].goes_on;
        open.insert(open.end(), to.begin(), to.end());
      }
    }
  }

  /// Cooper, Harvey, Kennedy (2001). The roots are behind one block more.
  void find_dominators() {
    dominator_.assign(before_.size(), kNoBlock);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t block = 0; block < before_.size(); ++block) {
        std::uint32_t found = is_root_[block] ? kRoot : kNoBlock;
        for (const std::uint32_t from : before_[block])
          if (dominator_[from] != kNoBlock) found = found == kNoBlock ? from : meet(found, from);
        changed = changed || found != dominator_[block];
        dominator_[block] = found;
      }
    }
  }
  [[nodiscard]] std::uint32_t meet(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      if (a == kRoot || b == kRoot) return kRoot;
      if (a > b)
        a = dominator_[a];
      else
        b = dominator_[b];
    }
    return a;
  }
  [[nodiscard]] bool dominates(std::uint32_t above, std::uint32_t block) const {
    while (block != above && block != kRoot && block != kNoBlock) block = dominator_[block];
    return block == above;
  }

  void add_body(std::uint32_t header, std::uint32_t last) {
    std::set<std::uint32_t>& body = bodies_[header];
    body.insert(header);
    std::vector<std::uint32_t> open{last};
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      if (!body.insert(block).second) continue;
      open.insert(open.end(), before_[block].begin(), before_[block].end());
    }
  }

  const CodeFlow& flow_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<bool> is_root_;
  std::vector<std::uint32_t> dominator_;
  std::map<std::uint32_t, std::set<std::uint32_t>> bodies_;  ///< by header
};

}  // namespace

void add_loops(const CodeFlow& flow, KernelInfo& info) {
  Loops(flow).store(info);
}

}  // namespace warpscope::machine
