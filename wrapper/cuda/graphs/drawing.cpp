#include "wrapper/cuda/graphs/drawing.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <mutex>

#include "wrapper/cuda/module.h"

namespace warpscope::cuda {
namespace {

/// cudaGraphDebugDotFlags.
constexpr unsigned kShowsAll = 1, kShowsKernels = 1 << 2, kShowsCopies = 1 << 3, kShowsFills = 1 << 4,
                   kShowsCalls = 1 << 5, kShowsEvents = 1 << 6, kShowsHandles = 1 << 10;

const char* kind_of(int type) {
  static const char* const kinds[] = {
      "KERNEL",       "MEMCPY",       "MEMSET",           "HOST",           "GRAPH",     "EMPTY",
      "WAIT_EVENT",   "EVENT_RECORD", "EXT_SEMAS_SIGNAL", "EXT_SEMAS_WAIT", "MEM_ALLOC", "MEM_FREE",
      "BATCH_MEM_OP", "CONDITIONAL"};
  return type >= 0 && static_cast<std::size_t>(type) < std::size(kinds) ? kinds[type] : "NODE";
}

std::string name_of(const LaunchRequest& launch) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex());
  return registry.kernel(launch.host).name;
}

/// Lines of a node's label behind its kind; "\n" is Graphviz's.
struct Details {
  unsigned flags;
  [[nodiscard]] bool shows(unsigned what) const { return (flags & (kShowsAll | what)) != 0; }

  std::string operator()(const cudaMemcpy3DParms& copy) const {
    static const char* const kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "default"};
    std::string text = fmt::format("\\n{}", kinds[copy.kind]);
    if (shows(kShowsCopies))
      text += fmt::format("\\n{} x {} x {}\\n{} to {}", copy.extent.width, copy.extent.height,
                          copy.extent.depth, fmt::ptr(copy.srcPtr.ptr), fmt::ptr(copy.dstPtr.ptr));
    return text;
  }
  std::string operator()(const cudaMemsetParams& set) const {
    if (!shows(kShowsFills)) return {};
    return fmt::format("\\n{} at {}\\n{} x {} of {} bytes", set.value, fmt::ptr(set.dst), set.width,
                       set.height, set.elementSize);
  }
  std::string operator()(const cudaHostNodeParams& call) const {
    return shows(kShowsCalls) ? fmt::format("\\n{:#x}({})", reinterpret_cast<std::uintptr_t>(call.fn),
                                            fmt::ptr(call.userData))
                              : "";
  }
  std::string operator()(const RecordedEvent& recorded) const { return event(recorded.event); }
  std::string operator()(const AwaitedEvent& awaited) const { return event(awaited.event); }
  template <class Other>
  std::string operator()(const Other& /*other*/) const {
    return {};
  }
  [[nodiscard]] std::string event(cudaEvent_t handle) const {
    return shows(kShowsEvents) ? fmt::format("\\n{}", fmt::ptr(handle)) : "";
  }
};

std::string label_of(const CUgraphNode_st& node, std::size_t number, unsigned flags) {
  const Details details{flags};
  std::string text = fmt::format("{}\\n{}", number, kind_of(node.type));
  if (details.shows(kShowsHandles)) text += fmt::format("\\n{}", fmt::ptr(&node));
  if (!node.kernel) return text + std::visit(details, node.parameters);
  const LaunchRequest launch = node.kernel->request();
  text += "\\n" + name_of(launch);
  if (details.shows(kShowsKernels))
    text += fmt::format("\\n<<<({}, {}, {}), ({}, {}, {}), {}>>>", launch.grid.x, launch.grid.y,
                        launch.grid.z, launch.block.x, launch.block.y, launch.block.z, launch.shared_bytes);
  return text;
}

/// Graphs are numbered in the order in which they are drawn.
void draw_part(std::ostream& file, const CUgraph_st& graph, unsigned flags, int& graphs) {
  const int own = graphs++;
  std::map<const CUgraphNode_st*, std::size_t> numbers;
  const auto name = [&](const CUgraphNode_st* node) {
    return fmt::format("\"graph_{}_node_{}\"", own, numbers.at(node));
  };
  file << fmt::format("subgraph cluster_{} {{\nlabel=\"graph_{}\"\n", own, own);
  for (const auto& node : graph.nodes) {
    numbers.emplace(node.get(), numbers.size());
    file << fmt::format("{}[shape=\"{}\" label=\"{}\"];\n", name(node.get()),
                        node->kernel ? "octagon" : "rectangle",
                        label_of(*node, numbers.at(node.get()), flags));
  }
  for (const auto& node : graph.nodes)
    for (const CUgraphNode_st* first : node->after)
      file << fmt::format("{} -> {};\n", name(first), name(node.get()));
  for (const auto& node : graph.nodes)
    if (const auto* child = std::get_if<ChildGraph>(&node->parameters))
      draw_part(file, *child->graph, flags, graphs);
  file << "}\n";
}

}  // namespace

bool draw(const CUgraph_st& graph, const std::string& path, unsigned flags) {
  std::ofstream file(path);
  file << "digraph dot {\n";
  int graphs = 0;
  draw_part(file, graph, flags, graphs);
  file << "}\n";
  file.close();
  return !file.fail();
}

}  // namespace warpscope::cuda
