#include "tools/machine_code/flow_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/facts/counts.h"
#include "machine/facts/spills.h"
#include "machine/isa/printer.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"

namespace warpscope::machine {
namespace {

const char* style_of(FlowEdge::Kind kind) {
  return kind == FlowEdge::Kind::Next ? "dashed" : kind == FlowEdge::Kind::Branch ? "solid" : "dotted";
}

/// Within a label in quotes.
std::string escaped(const std::string& text) {
  std::string found;
  for (const char one : text) {
    if (one == '"' || one == '\\') found += '\\';
    found += one;
  }
  return found;
}

std::string node(std::size_t graph, std::size_t block) {
  return fmt::format("f{}_b{}", graph, block);
}

std::string label(const FlowGraph& graph, const FlowBlock& block) {
  std::string text;
  for (std::uint32_t number = block.first; number < block.first + block.count; ++number)
    text += fmt::format("{:04x}  {}\\l", number * kInstructionBytes, escaped(graph.instructions[number]));
  return text;
}

}  // namespace

FlowGraph flow_graph(const Cubin& cubin, const Function& function) {
  if (!Decoder::supports(cubin.architecture()))
    throw InputError(fmt::format("{}: code for sm_{}, expected sm_70 to sm_90, whose instructions are known",
                                 cubin.elf().bytes().name(), cubin.architecture()));
  const Decoder decoder(cubin.architecture());
  std::vector<Instruction> code = decoder.decode(function.code.bytes());
  std::size_t length = length_without_padding(decoder, code);
  if (function.is_kernel) length = std::min(length, own_length(cubin, function));
  code.resize(length);
  FlowGraph graph{printable(function.name), control_flow(cubin, function, decoder, code), {}};
  for (const Instruction& one : code) graph.instructions.push_back(text_of(decoder, one));
  return graph;
}

std::string dot_text(const std::vector<FlowGraph>& graphs) {
  std::string text = "digraph kernels {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
  for (std::size_t at = 0; at < graphs.size(); ++at) {
    const FlowGraph& graph = graphs[at];
    text += fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", at, escaped(graph.name));
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
      text += fmt::format("    {} [label=\"{}\"];\n", node(at, block), label(graph, graph.blocks[block]));
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
      for (const FlowEdge& edge : graph.blocks[block].successors)
        text += fmt::format("    {} -> {} [style={}];\n", node(at, block), node(at, edge.block),
                            style_of(edge.kind));
    text += "  }\n";
  }
  return text + "}\n";
}

std::string graph_text(const std::vector<FlowGraph>& graphs) {
  std::string text;
  for (const FlowGraph& graph : graphs) {
    text += fmt::format("{}: {} basic blocks\n", graph.name, graph.blocks.size());
    for (const FlowBlock& block : graph.blocks) {
      std::string next;
      for (const FlowEdge& edge : block.successors)
        next += fmt::format("{}{:04x}{}", next.empty() ? "" : ", ", graph.blocks[edge.block].address,
                            edge.kind == FlowEdge::Kind::Indirect ? " (table)" : "");
      if (block.has_unknown_targets) next.insert(0, next.empty() ? "unknown targets" : "unknown targets, ");
      text += fmt::format("  {:04x}  {:>4} instructions  -> {}\n", block.address, block.count,
                          next.empty() ? "end" : next);
    }
  }
  return text;
}

}  // namespace warpscope::machine
