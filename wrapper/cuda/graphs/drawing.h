#pragma once
// A graph as Graphviz draws it (CUDA Runtime API, cudaGraphDebugDotPrint()).
#include <string>

#include "wrapper/cuda/graph.h"

namespace warpscope::cuda {

/// Writes nodes with their kind, number and kernel, and their edges; with `flags` (cudaGraphDebugDotFlags) more of each. False: the file could not be
/// written.
bool draw(const CUgraph_st& graph, const std::string& path, unsigned flags);

}  // namespace warpscope::cuda
