// Memory that a captured stream allocates: nodes of the graph, with one address for all its launches, which the program may free between them.
#include <cuda.h>
#include <cuda_runtime.h>

#include "../api/check.h"

#if CUDART_VERSION < 12000
#define INSTANTIATE(run, graph) cudaGraphInstantiate(run, graph, nullptr, nullptr, 0)
#else
#define INSTANTIATE(run, graph) cudaGraphInstantiate(run, graph, 0)
#endif

static const int kCount = 1000;
static const size_t kBytes = kCount * sizeof(int);

__global__ void fill(int* values, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) values[i] = first + i;
}
__global__ void square(const int* from, int* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) to[i] = from[i] * from[i];
}

static unsigned long long used(cudaGraphMemAttributeType which = cudaGraphMemAttrUsedMemCurrent) {
  unsigned long long bytes = 99;
  status("used", cudaDeviceGetGraphMemAttribute(0, which, &bytes));
  return bytes;
}

static void all_in_one(cudaStream_t stream, int* host) {
  cudaGraph_t graph;
  cudaGraphExec_t run;
  cudaGraphNode_t nodes[8];
  size_t count = 8;
  int *one = nullptr, *two = nullptr;
  status("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  status("one", cudaMallocAsync(&one, kBytes, stream));
  fill<<<4, 256, 0, stream>>>(one, 3);
  status("two", cudaMallocAsync(&two, kBytes, stream));
  square<<<4, 256, 0, stream>>>(one, two);
  status("free one", cudaFreeAsync(one, stream));
  status("copy", cudaMemcpyAsync(host, two, kBytes, cudaMemcpyDeviceToHost, stream));
  status("free two", cudaFreeAsync(two, stream)), status("end", cudaStreamEndCapture(stream, &graph));
  status("nodes", cudaGraphGetNodes(graph, nodes, &count)), expect("seven", count == 7);
  const cudaGraphNodeType kinds[] = {cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeKernel,
                                     cudaGraphNodeTypeMemFree,  cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemFree};
  for (size_t i = 0; i < 7; ++i) {
    cudaGraphNodeType kind;
    status("kind", cudaGraphNodeGetType(nodes[i], &kind)), expect("in their order", kind == kinds[i]);
  }
  cudaMemAllocNodeParams given;
  status("what was given", cudaGraphMemAllocNodeGetParams(nodes[2], &given)), expect("two", given.dptr == two && given.bytesize == kBytes);
  status("instantiate", INSTANTIATE(&run, graph));
  for (int launch = 0; launch < 3; ++launch) {
    for (int i = 0; i < kCount; ++i) host[i] = -1;
    status("launch", cudaGraphLaunch(run, stream)), status("wait", cudaStreamSynchronize(stream));
    int differ = 0;
    for (int i = 0; i < kCount; ++i) differ += host[i] != (3 + i) * (3 + i);
    expect("squares", differ == 0);
  }
  expect("of two nodes", used() == 2 * kBytes && used(cudaGraphMemAttrUsedMemHigh) == 2 * kBytes);
  cudaGraphExecDestroy(run), cudaGraphDestroy(graph);
  expect("of no nodes", used() == 0);
}

/// What a launch allocates, the program frees, before the next launch and after the graph is gone.
static void beyond_the_graph(cudaStream_t stream, int* host) {
  cudaGraph_t graph;
  cudaGraphExec_t run;
  int* values = nullptr;
  status("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)), status("allocate", cudaMallocAsync(&values, kBytes, stream));
  fill<<<4, 256, 0, stream>>>(values, 7);
  status("end", cudaStreamEndCapture(stream, &graph)), status("instantiate", INSTANTIATE(&run, graph));
  status("not allocated yet", cudaFree(values), cudaErrorInvalidValue), cudaGetLastError();
  for (int launch = 0; launch < 2; ++launch) {
    status("launch", cudaGraphLaunch(run, stream)), status("copy", cudaMemcpyAsync(host, values, kBytes, cudaMemcpyDeviceToHost, stream));
    status("wait", cudaStreamSynchronize(stream)), expect("7 to 1006", host[0] == 7 && host[kCount - 1] == 1006);
    status("free", launch == 0 ? cudaFreeAsync(values, stream) : cudaFree(values));
    status("free again", cudaFree(values), cudaErrorInvalidValue), cudaGetLastError();
  }
  status("launch", cudaGraphLaunch(run, stream)), status("wait", cudaStreamSynchronize(stream));
  cudaGraphExecDestroy(run), cudaGraphDestroy(graph);
  expect("the program has it still", used() == kBytes);
  host[0] = 0, cudaMemcpy(host, values, 4, cudaMemcpyDefault), expect("7", host[0] == 7);
  status("free", cudaFree(values)), expect("all free", used() == 0);
}

/// 100 graphs of 64 MiB, one after the other.
static void bounded(cudaStream_t stream) {
  const size_t bytes = size_t{64} << 20;
  for (int round = 0; round < 100; ++round) {
    cudaGraph_t graph;
    int* values = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaMallocAsync(&values, bytes, stream), cudaFreeAsync(values, stream);
    status("end", cudaStreamEndCapture(stream, &graph)), status("destroy", cudaGraphDestroy(graph));
  }
  expect("all free", used() == 0 && used(cudaGraphMemAttrUsedMemHigh) == bytes);
  unsigned long long none = 0;
  status("a mark", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &none)), expect("of now", used(cudaGraphMemAttrUsedMemHigh) == 0);
}

int main() {
  cudaStream_t stream;
  int* host = nullptr;
  cudaStreamCreate(&stream), cudaMallocHost(&host, kBytes);
  all_in_one(stream, host), beyond_the_graph(stream, host), bounded(stream);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
