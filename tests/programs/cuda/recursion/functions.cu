// Functions that call themselves or each other, and the same functions on the host as the reference.
#include <cstdio>

#define BOTH __host__ __device__
constexpr int kThreads = 96;

BOTH int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
BOTH int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Two that call each other, with frames of different size; a kernel may begin with either.
BOTH unsigned long odd(unsigned n, unsigned long weight);
BOTH unsigned even(unsigned n) { return n == 0 ? 1 : 3 * static_cast<unsigned>(odd(n - 1, n)) - n; }
BOTH unsigned long odd(unsigned n, unsigned long weight) { return n == 0 ? weight : weight - 2 * even(n - 1) + n; }

// What is passed by value is the call's own; what is returned has several parts.
struct Ray {
  float from[3];
  int depth;
};
struct Colour {
  double red;
  int bounces;
};
BOTH Colour follow(Ray ray) {
  if (ray.depth == 0) return {ray.from[0], 0};
  const Ray before = ray;
  ray.depth -= 1;
  ray.from[ray.depth % 3] += 0.5f;
  Colour far = follow(ray);
  ray.from[0] = -ray.from[0];
  const Colour near = ray.depth % 2 ? follow(ray) : far;
  far.red += near.red / 4 + before.from[1] + before.depth;
  far.bounces += near.bounces + 1;
  return far;
}

// A call in a loop, in a function that is called in a loop; the inner function recurses as well.
BOTH int paths(int width, int depth) {
  int sum = depth;
  for (int i = 0; i < width; ++i)
    if ((i + depth) % 3 != 0) sum += depth == 0 ? 1 : paths(width, depth - 1) * (i + 1);
  return sum + fibonacci(depth);
}

BOTH int number(int kind, int i) {
  switch (kind) {
  case 0: return fibonacci(i % 13);
  case 1: return ackermann(i % 3, i % 7);
  case 2: return static_cast<int>(i % 2 ? even(i) : odd(i, 7));
  case 3: {
    const Colour seen = follow({{1.0f * i, 0.25f * i, 2}, i % 5});
    return static_cast<int>(seen.red * 64) * 8 + seen.bounces;
  }
  default: return paths(i % 5, i % 4);
  }
}

template <int Kind> __global__ void compute(int* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = number(Kind, values[i]);
}

template <int Kind> int check(int* values) {
  for (int i = 0; i < kThreads; ++i) values[i] = i;
  compute<Kind><<<3, 32>>>(values);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < kThreads; ++i) wrong += values[i] != number(Kind, i);
  return wrong;
}

int main() {
  int* values;
  cudaDeviceSetLimit(cudaLimitStackSize, 8192);  // for 96 frames of even() and odd()
  cudaMallocManaged(&values, kThreads * sizeof(int));
  printf("%d %d %d %d %d wrong, %s\n", check<0>(values), check<1>(values), check<2>(values), check<3>(values), check<4>(values),
         cudaGetErrorName(cudaGetLastError()));
}
