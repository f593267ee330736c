#pragma once
// Whose values flow into the addresses and branches of machine code (traces/FORMAT.md, "Sources of an address"): back through registers and
// predicates to what read memory.
#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "machine/describe/flow.h"
#include "machine/isa/effects.h"
#include "traces/program/kernel_info.h"

namespace warpscope::machine {

class ValueSources {
 public:
  /// `effects`, `site_of`, `successors`: of each instruction, as in DescribedKernel and successors_of().
  ValueSources(const Code& code, std::span<const Effects> effects, std::span<const std::uint32_t> site_of,
               const std::vector<std::vector<std::uint32_t>>& successors);

  struct Found {
    AddressSources sources;
    std::set<std::uint32_t> parameters;  ///< numbers of the kernel's parameters that flow in, not only decide
  };
  /// Of what an instruction reads in these registers.
  Found of(std::uint32_t place, const RegisterSets& read);
  /// Loads and atomics that decide how an instruction branches, or whether it is executed: ascending.
  std::vector<SiteId> of_decision(std::uint32_t place);

 private:
  /// How a value reaches what is looked at: from the closest to the loosest.
  enum class How : std::uint8_t { Whole, Part, Choice };
  struct Step {
    std::uint32_t place;
    How how;
    bool guard_decides;
    [[nodiscard]] std::size_t number() const {
      return place * std::size_t{6} + static_cast<std::size_t>(how) * 2 + (guard_decides ? 1 : 0);
    }
  };
  /// What a search has met; a kernel has as many searches as accesses and branches, and each may meet all of its instructions.
  struct Search {
    std::vector<std::uint32_t> sites[3];  ///< without an order
    std::set<std::uint32_t> parameters;
    std::vector<Step> open;
    bool work_item = false;
  };

  struct Definition {
    std::uint32_t place;
    bool is_certain;  ///< in all lanes that read it: its guard is none, or the reader's
  };

  /// A value that an instruction reads: where it comes from, and whether it is a part of what is read.
  struct Edge {
    std::uint32_t place;
    bool is_part, is_certain;
  };
  /// What searches need of an instruction again and again.
  struct Node {
    std::vector<Edge> values, guard;
    bool is_made = false, is_work_item = false, has_values = false, is_compare = false;
  };

  const std::vector<Definition>& definitions(std::uint32_t place, std::uint32_t number);
  Search begin();
  std::vector<Edge> edges(std::uint32_t place, const RegisterSets& registers);
  const Node& node(std::uint32_t place);
  void follow(Search& search, const std::vector<Edge>& edges, How how);
  void visit(Search& search, Step step);
  void take_constants(Search& search, std::uint32_t place) const;
  Found run(Search& search);

  const Code& code_;
  std::span<const Effects> effects_;
  std::span<const std::uint32_t> site_of_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::unordered_map<std::uint64_t, std::vector<Definition>> known_;  ///< by place and register
  std::vector<std::uint32_t>
      mark_;  ///< the last search for definitions that came to a place, with its reader's guard as it was or not
  std::uint32_t marks_ = 0;
  std::vector<std::uint32_t> seen_steps_,
      seen_sites_;  ///< the last search that met a step, a site in one way
  std::uint32_t searches_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace warpscope::machine
