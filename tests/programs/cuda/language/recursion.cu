// Recursion that the compiler makes a loop of: a call as the last step, and one whose result is only multiplied.
#include <cstdio>

struct Node {
  int key;
  Node *left, *right;
};
__device__ int divisor(int a, int b) { return b == 0 ? a : divisor(b, a % b); }
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ const Node* find(const Node* node, int key) {
  if (node == nullptr || node->key == key) return node;
  return find(key < node->key ? node->left : node->right, key);
}
__global__ void numbers(int* values) {
  values[0] = divisor(values[1], values[2]);
  values[3] = factorial(values[4]);
}
__global__ void search(const Node* root, int* found) { found[threadIdx.x] = find(root, threadIdx.x) != nullptr; }

int main() {
  int* values;
  Node* nodes;
  cudaMallocManaged(&values, 16 * sizeof(int));
  cudaMallocManaged(&nodes, 7 * sizeof(Node));
  values[1] = 1071;
  values[2] = 462;
  values[4] = 6;
  numbers<<<1, 1>>>(values);
  cudaDeviceSynchronize();
  int wrong = (values[0] != 21) + (values[3] != 720);
  const int keys[] = {8, 4, 12, 2, 6, 10, 14};
  for (int i = 0; i < 7; ++i) nodes[i] = {keys[i], i < 3 ? nodes + 2 * i + 1 : nullptr, i < 3 ? nodes + 2 * i + 2 : nullptr};
  search<<<1, 16>>>(nodes, values);
  cudaDeviceSynchronize();
  for (int key = 0; key < 16; ++key) wrong += values[key] != (key % 2 == 0 && key > 0);
  printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
  return wrong != 0;
}
