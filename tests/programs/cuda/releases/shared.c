// A program of CUDA RELEASE (11, 12 or 13) that was linked with its shared runtime, by what the documentation of that release says of the
// binary interface: names with versions, and where cudaDeviceProp has its members. Attributes say what is in them.
#include <stdio.h>
#include <string.h>

#if RELEASE == 12
#define PROPERTIES cudaGetDeviceProperties_v2
enum { BYTES = 1032, CORES = 388, CONSTANT = 352, MAJOR = 360, L2 = 616, OPTIN = 696 };
#elif RELEASE == 11
#define PROPERTIES cudaGetDeviceProperties
enum { BYTES = 728, CORES = 388, CONSTANT = 352, MAJOR = 360, L2 = 616, OPTIN = 696 };
#else
#define PROPERTIES cudaGetDeviceProperties
enum { BYTES = 1008, CORES = 384, CONSTANT = 352, MAJOR = 360, L2 = 596, OPTIN = 672 };
#endif

int PROPERTIES(void *properties, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaRuntimeGetVersion(int *version);
int cudaMalloc(void **pointer, unsigned long bytes);
int cudaMemcpy(void *to, const void *from, unsigned long bytes, int kind);
int cudaGetLastError(void);

// Edges with data have names of their own in release 12, and the old ones in release 13; release 11 has none.
typedef struct { unsigned char from_port, to_port, type, reserved[5]; } Edge;
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphAddEmptyNode(void **node, void *graph, void *const *after, unsigned long count);
#if RELEASE == 13
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const Edge *edges, unsigned long count);
int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, const Edge *edges, unsigned long count);
int cudaGraphGetEdges(void *graph, void **from, void **to, Edge *edges, unsigned long *count);
int cudaGraphNodeGetDependencies(void *node, void **before, Edge *edges, unsigned long *count);
int cudaGraphNodeGetDependentNodes(void *node, void **later, Edge *edges, unsigned long *count);
#define WITH(...) __VA_ARGS__,
#else
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, unsigned long count);
int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, unsigned long count);
int cudaGraphGetEdges(void *graph, void **from, void **to, unsigned long *count);
int cudaGraphNodeGetDependencies(void *node, void **before, unsigned long *count);
int cudaGraphNodeGetDependentNodes(void *node, void **later, unsigned long *count);
#define WITH(...)
#endif
#if RELEASE == 12
int cudaGraphRemoveDependencies_v2(void *graph, void *const *from, void *const *to, const Edge *edges, unsigned long count);
int cudaGraphAddDependencies_v2(void *graph, void *const *from, void *const *to, const Edge *edges, unsigned long count);
int cudaGraphGetEdges_v2(void *graph, void **from, void **to, Edge *edges, unsigned long *count);
#endif

static int wrong;
static void expect(const char *what, int holds) {
  if (!holds) ++wrong, printf("%s: does not hold\n", what);
}
static int attribute(int which) {
  int value = -1;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

static void edges(void) {
  void *graph, *nodes[3], *from[2], *to[2], *other = 0;
  unsigned long count = 2;
  expect("graph", cudaGraphCreate(&graph, 0) == 0);
  for (int i = 0; i < 3; ++i) expect("node", cudaGraphAddEmptyNode(nodes + i, graph, 0, 0) == 0);
  expect("edges", cudaGraphAddDependencies(graph, nodes, nodes + 1, WITH(0) 2) == 0);
  expect("found", cudaGraphGetEdges(graph, from, to, WITH(0) &count) == 0 && count == 2 && from[0] == nodes[0] && to[1] == nodes[2]);
  count = 1;
  expect("before", cudaGraphNodeGetDependencies(nodes[2], &other, WITH(0) &count) == 0 && count == 1 && other == nodes[1]);
  expect("behind", cudaGraphNodeGetDependentNodes(nodes[0], &other, WITH(0) &count) == 0 && count == 1 && other == nodes[1]);
  expect("removed", cudaGraphRemoveDependencies(graph, nodes, nodes + 1, WITH(0) 1) == 0);
#if RELEASE == 12
  const Edge none = {0, 0, 0, {0}};
  Edge found = {9, 9, 9, {9}};
  count = 1;
  expect("with data", cudaGraphGetEdges_v2(graph, from, to, &found, &count) == 0 && count == 1 && memcmp(&found, &none, sizeof none) == 0);
  expect("removed", cudaGraphRemoveDependencies_v2(graph, nodes + 1, nodes + 2, &none, 1) == 0 && cudaGraphAddDependencies_v2(graph, nodes, nodes + 2, &none, 1) == 0);
#endif
  expect("one is left", cudaGraphGetEdges(graph, 0, 0, WITH(0) &count) == 0 && count == 1);
  expect("gone", cudaGraphDestroy(graph) == 0);
}

int main(void) {
  unsigned char found[BYTES + 64];
  int value = 0, bytes = 0;
  memset(found, 0x5a, sizeof found);
  expect("properties", PROPERTIES(found, 0) == 0);
  for (int at = BYTES; at < BYTES + 64; ++at) expect("nothing behind them", found[at] == 0x5a);
  const struct { const char *what; int offset, attribute; } all[] = {
      {"cores", CORES, 16}, {"constant memory", CONSTANT, 9}, {"major", MAJOR, 75}, {"L2", L2, 38}, {"most shared memory", OPTIN, 97}};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    memcpy(&value, found + all[i].offset, 4);
    expect(all[i].what, value == attribute(all[i].attribute));
  }
  expect("version", cudaRuntimeGetVersion(&value) == 0 && value / 1000 == RELEASE);
  void *memory;
  expect("memory", cudaMalloc(&memory, 4) == 0);
  value = 1234;
  expect("to", cudaMemcpy(memory, &value, 4, 1) == 0);
  expect("from", cudaMemcpy(&bytes, memory, 4, 2) == 0 && bytes == 1234);
  edges();
  expect("no error", cudaGetLastError() == 0);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
