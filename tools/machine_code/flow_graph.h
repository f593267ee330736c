#pragma once
// Control flow graphs as text.
#include <string>
#include <vector>

#include "machine/facts/graph.h"

namespace warpscope::machine {

struct FlowGraph {
  std::string name;
  std::vector<FlowBlock> blocks;
  std::vector<std::string> instructions;  ///< their texts, in order
};

/// Throws InputError for an architecture whose instructions are not known.
FlowGraph flow_graph(const Cubin& cubin, const Function& function);
/// For Graphviz: a cluster per function, a node per basic block. Branches are solid, what follows without one is dashed, entries of tables
/// are dotted.
std::string dot_text(const std::vector<FlowGraph>& graphs);
/// A line per basic block: address, instructions, addresses of what may follow.
std::string graph_text(const std::vector<FlowGraph>& graphs);

}  // namespace warpscope::machine
