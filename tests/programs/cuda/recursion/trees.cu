// Trees of nodes and of objects, and sorting; the same functions on the host are the reference.
#include <algorithm>
#include <cstdio>
#include <new>

#define BOTH __host__ __device__

struct Node {
  int key;
  Node *left, *right;
};

// In order, from a given number on; the calls fill what belongs to the call above them.
BOTH void walk(const Node* node, int* out, int* count) {
  if (node == nullptr) return;
  int found[2] = {0, 0};
  walk(node->left, out, &found[0]);
  out[found[0]] = node->key;
  walk(node->right, out + found[0] + 1, &found[1]);
  *count = found[0] + 1 + found[1];
}

__global__ void in_order(Node* const* roots, int* out, int* counts, int stride) {
  int count = 0;
  walk(roots[threadIdx.x], out + threadIdx.x * stride, &count);
  counts[threadIdx.x] = count;
}

BOTH void quicksort(int* a, int low, int high) {
  if (low >= high) return;
  const int pivot = a[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) ++i;
    while (a[j] > pivot) --j;
    if (i <= j) {
      const int swapped = a[i];
      a[i++] = a[j];
      a[j--] = swapped;
    }
  }
  quicksort(a, low, j);
  quicksort(a, i, high);
}

__global__ void sort(int* a, int length) { quicksort(a + threadIdx.x * length, 0, length - 1); }

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Pair : Shape {
  const Shape *one, *other;
  __device__ Pair(const Shape* a, const Shape* b) : one(a), other(b) {}
  __device__ float area() const override { return one->area() + 2 * other->area(); }
};

union Room {
  char square[sizeof(Square)], pair[sizeof(Pair)];
  double aligned;
};
// A full tree in an array: the children of shape i are 2i + 1 and 2i + 2.
__global__ void build(Room* rooms, int inner, int all) {
  for (int i = all - 1; i >= 0; --i)
    if (i < inner) new (&rooms[i]) Pair((Shape*)&rooms[2 * i + 1], (Shape*)&rooms[2 * i + 2]);
    else new (&rooms[i]) Square(i - inner + 1);
}
__global__ void areas(const Room* rooms, float* out) { out[threadIdx.x] = ((const Shape*)&rooms[threadIdx.x])->area(); }

float area_of(int i, int inner) {
  if (i >= inner) return static_cast<float>((i - inner + 1) * (i - inner + 1));
  return area_of(2 * i + 1, inner) + 2 * area_of(2 * i + 2, inner);
}

int check_walk() {
  constexpr int kTrees = 32, kMost = 33;
  Node *nodes, **roots;
  int *out, *counts;
  cudaMallocManaged(&nodes, kTrees * kMost * sizeof(Node));
  cudaMallocManaged(&roots, kTrees * sizeof(Node*));
  cudaMallocManaged(&out, kTrees * kMost * sizeof(int));
  cudaMallocManaged(&counts, kTrees * sizeof(int));
  for (int t = 0; t < kTrees; ++t) {  // tree t has t nodes, in the order in which they come
    roots[t] = nullptr;
    for (int i = 0; i < t; ++i) {
      Node* node = &nodes[t * kMost + i];
      *node = {i * 19 % 37 * 64 + i, nullptr, nullptr};
      Node** place = &roots[t];
      while (*place) place = node->key < (*place)->key ? &(*place)->left : &(*place)->right;
      *place = node;
    }
  }
  in_order<<<1, kTrees>>>(roots, out, counts, kMost);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < kTrees; ++t) {
    int expected[kMost], count = 0;
    walk(roots[t], expected, &count);
    wrong += counts[t] != t || count != t || !std::equal(expected, expected + t, out + t * kMost) || !std::is_sorted(expected, expected + t);
  }
  return wrong;
}

int check_sort() {
  constexpr int kThreads = 40, kLength = 50;
  int *a, expected[kThreads * kLength];
  cudaMallocManaged(&a, sizeof(expected));
  for (int i = 0; i < kThreads * kLength; ++i) a[i] = i * 7919 % 1009 - i % kThreads;
  std::copy(a, a + kThreads * kLength, expected);
  sort<<<1, kThreads>>>(a, kLength);
  for (int t = 0; t < kThreads; ++t) std::sort(expected + t * kLength, expected + (t + 1) * kLength);
  cudaDeviceSynchronize();
  return !std::equal(a, a + kThreads * kLength, expected);
}

int check_shapes() {
  constexpr int kInner = 15, kAll = 31;
  Room* rooms;
  float* out;
  cudaMallocManaged(&rooms, kAll * sizeof(Room));
  cudaMallocManaged(&out, kAll * sizeof(float));
  build<<<1, 1>>>(rooms, kInner, kAll);
  areas<<<1, kAll>>>(rooms, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < kAll; ++i) wrong += out[i] != area_of(i, kInner);
  return wrong;
}

int main() { printf("%d %d %d wrong, %s\n", check_walk(), check_sort(), check_shapes(), cudaGetErrorName(cudaGetLastError())); }
