// Conditional nodes of graphs: kernels say whether, how often and which of their bodies is done. Expected values are counted by hand.
#include <cuda_runtime.h>

#include <cstdio>

static int wrong = 0;
static void expect(const char* what, long got, long wanted) {
  if (got == wanted) return;
  ++wrong;
  std::printf("%s: %ld, expected %ld\n", what, got, wanted);
}

/// Counts down, and goes on until nothing is left.
__global__ void count_down(int* left, int* rounds, cudaGraphConditionalHandle again) {
  ++*rounds;
  cudaGraphSetConditional(again, --*left > 0);
}
__global__ void choose(cudaGraphConditionalHandle which, unsigned value) { cudaGraphSetConditional(which, value); }
__global__ void add(int* to, int what) { *to += what; }

static void add_kernel(cudaGraph_t graph, const cudaGraphNode_t* after, int* to, int what) {
  cudaGraphNodeParams node{};
  void* arguments[] = {&to, &what};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = reinterpret_cast<void*>(add), node.kernel.gridDim = node.kernel.blockDim = dim3(1), node.kernel.kernelParams = arguments;
  cudaGraphNode_t made;
  expect("kernel", cudaGraphAddNode(&made, graph, after, nullptr, after != nullptr, &node), cudaSuccess);
}
static cudaGraph_t* conditional(cudaGraph_t graph, const cudaGraphNode_t* after, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t* made) {
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = handle, node.conditional.type = type, node.conditional.size = size;
  expect("conditional node", cudaGraphAddNode(made, graph, after, nullptr, after != nullptr, &node), cudaSuccess);
  cudaGraphNodeType found;
  expect("type", cudaGraphNodeGetType(*made, &found), cudaSuccess), expect("its type", found, cudaGraphNodeTypeConditional);
  return node.conditional.phGraph_out;
}
static void launch(cudaGraph_t graph, int times) {
  cudaGraphExec_t made;
  expect("instantiate", cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
  for (int i = 0; i < times; ++i) expect("launch", cudaGraphLaunch(made, nullptr), cudaSuccess);
  expect("done", cudaDeviceSynchronize(), cudaSuccess);
  cudaGraphExecDestroy(made);
}

int main() {
  int* numbers;
  cudaMallocManaged(&numbers, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) numbers[i] = 0;
  int *left = numbers, *rounds = numbers + 1, *behind = numbers + 2;

  // Seven rounds of a loop, then a kernel that comes after it; of a second launch one, since the default says to begin.
  *left = 7;
  cudaGraph_t graph;
  cudaGraphConditionalHandle again;
  cudaGraphNode_t loop;
  cudaGraphCreate(&graph, 0);
  expect("handle", cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault), cudaSuccess);
  cudaGraph_t body = *conditional(graph, nullptr, again, cudaGraphCondTypeWhile, 1, &loop);
  cudaKernelNodeParams kernel{};
  void* arguments[] = {&left, &rounds, &again};
  kernel.func = reinterpret_cast<void*>(count_down), kernel.gridDim = kernel.blockDim = dim3(1), kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  expect("body", cudaGraphAddKernelNode(&node, body, nullptr, 0, &kernel), cudaSuccess);
  add_kernel(graph, &loop, behind, 100);
  launch(graph, 1);
  expect("rounds", *rounds, 7), expect("left", *left, 0), expect("behind the loop", *behind, 100);
  launch(graph, 1);
  expect("one round more", *rounds, 8), expect("once more", *behind, 200);
  cudaGraphDestroy(graph);

  // Which of the bodies: 0, 1, 2 and one that there is not; and the same with one or two bodies of a condition.
  int *chosen = numbers + 3, *yes = numbers + 10, *no = numbers + 11, *only = numbers + 12;
  for (unsigned value = 0; value < 4; ++value) {
    cudaGraph_t choice;
    cudaGraphCreate(&choice, 0);
    cudaGraphConditionalHandle which, whether, one;
    cudaGraphConditionalHandleCreate(&which, choice, 0, 0), cudaGraphConditionalHandleCreate(&whether, choice, value % 2, cudaGraphCondAssignDefault);
    cudaGraphConditionalHandleCreate(&one, choice, value % 2, cudaGraphCondAssignDefault);
    cudaGraphNode_t first, switched, tested;
    void* words[] = {&which, &value};
    kernel.func = reinterpret_cast<void*>(choose), kernel.kernelParams = words;
    cudaGraphAddKernelNode(&first, choice, nullptr, 0, &kernel);
    cudaGraph_t* bodies = conditional(choice, &first, which, cudaGraphCondTypeSwitch, 3, &switched);
    for (int i = 0; i < 3; ++i) add_kernel(bodies[i], nullptr, chosen + i, 1 << 4 * i);
    bodies = conditional(choice, &switched, whether, cudaGraphCondTypeIf, 2, &tested);
    add_kernel(bodies[0], nullptr, yes, 1), add_kernel(bodies[1], nullptr, no, 1);
    add_kernel(*conditional(choice, &tested, one, cudaGraphCondTypeIf, 1, &node), nullptr, only, 1);
    launch(choice, 2);
    cudaGraphDestroy(choice);
  }
  expect("body 0", chosen[0], 2), expect("body 1", chosen[1], 2 * 16), expect("body 2", chosen[2], 2 * 256);
  expect("where it holds", *yes, 4), expect("where it does not", *no, 4), expect("one body", *only, 4);

  // A loop in a loop: three times four rounds. The outer body begins with saying that the inner one is to be done.
  int *outer = numbers + 20, *inner = numbers + 21, *inner_rounds = numbers + 22, *outer_rounds = numbers + 23;
  *outer = 3;
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandle outside, inside;
  cudaGraphConditionalHandleCreate(&outside, graph, 1, cudaGraphCondAssignDefault);
  body = *conditional(graph, nullptr, outside, cudaGraphCondTypeWhile, 1, &loop);
  cudaGraphConditionalHandleCreate(&inside, body, 1, cudaGraphCondAssignDefault);
  add_kernel(body, nullptr, inner, 4);
  cudaGraphNode_t begins;
  std::size_t count = 1;
  cudaGraphGetNodes(body, &begins, &count);
  unsigned truth = 1;
  void* chosen_words[] = {&inside, &truth};
  kernel.func = reinterpret_cast<void*>(choose), kernel.kernelParams = chosen_words;
  cudaGraphAddKernelNode(&node, body, &begins, 1, &kernel);
  cudaGraphNode_t within;
  cudaGraph_t nested = *conditional(body, &node, inside, cudaGraphCondTypeWhile, 1, &within);
  void* inner_words[] = {&inner, &inner_rounds, &inside};
  kernel.func = reinterpret_cast<void*>(count_down), kernel.kernelParams = inner_words;
  cudaGraphAddKernelNode(&node, nested, nullptr, 0, &kernel);
  void* outer_words[] = {&outer, &outer_rounds, &outside};
  kernel.kernelParams = outer_words;
  cudaGraphAddKernelNode(&node, body, &within, 1, &kernel);
  launch(graph, 1);
  expect("outer rounds", *outer_rounds, 3), expect("inner rounds", *inner_rounds, 12);
  cudaGraphDestroy(graph);

  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&again, graph, 0, 0);
  cudaGraphNodeParams refused{};
  refused.type = cudaGraphNodeTypeConditional, refused.conditional.handle = again, refused.conditional.type = cudaGraphCondTypeWhile, refused.conditional.size = 2;
  expect("two bodies of a loop", cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &refused), cudaErrorInvalidValue);
  refused.conditional.size = 1, refused.conditional.handle = 4;
  expect("no handle", cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &refused), cudaErrorInvalidValue);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
