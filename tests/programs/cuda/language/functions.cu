// Calls through pointers: a table in device memory, a pointer that the host fetches and passes as argument and in a struct, virtual functions
// of objects that another kernel made. Prints how many results are wrong.
#include <cstdio>

using Op = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ Op table[2] = {twice, square};
__device__ Op chosen = square; // no kernel uses it

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual void grow(float by) = 0;
  __device__ virtual ~Shape() {}
  __device__ virtual float both_sides() const { return 2 * area(); } // as area(), and no call of itself
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
  __device__ void grow(float by) override { side += by; }
};
struct Disc : Shape {
  float radius;
  __device__ explicit Disc(float radius) : radius(radius) {}
  __device__ float area() const override { return 3 * radius * radius; }
  __device__ void grow(float by) override { radius += by; }
};

__global__ void choose(float *x, const int *which) { x[threadIdx.x] = table[which[threadIdx.x]](x[threadIdx.x]); }

__global__ void apply(float *x, Op op) { x[threadIdx.x] = op(x[threadIdx.x]); }

struct Map {
  float *data;
  Op op;
  __device__ float operator()(int i) const { return op(data[i]); }
};
__global__ void map(Map f, float *out) { out[threadIdx.x] = f(threadIdx.x); }

__global__ void make(Shape **shapes) {
  shapes[threadIdx.x] = threadIdx.x % 2 ? static_cast<Shape *>(new Square(threadIdx.x)) : new Disc(threadIdx.x);
}
__global__ void grow(Shape **shapes) { shapes[threadIdx.x]->grow(1); }
__global__ void areas(Shape **shapes, float *out) { out[threadIdx.x] = shapes[threadIdx.x]->area(); }
__global__ void sides(Shape **shapes, float *out) { out[threadIdx.x] -= shapes[threadIdx.x]->both_sides(); }
__global__ void drop(Shape **shapes) { delete shapes[threadIdx.x]; }

int main() {
  const int n = 32;
  float h[n], *x, *out;
  int which[n], *d_which, wrong = 0;
  Shape **shapes;
  Op op;
  for (int i = 0; i < n; ++i) {
    h[i] = i;
    which[i] = i % 2;
  }
  cudaMalloc(&x, sizeof h);
  cudaMalloc(&out, sizeof h);
  cudaMalloc(&d_which, sizeof which);
  cudaMalloc(&shapes, n * sizeof *shapes);
  cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpy(d_which, which, sizeof which, cudaMemcpyHostToDevice);
  choose<<<1, n>>>(x, d_which);
  cudaMemcpyFromSymbol(&op, chosen, sizeof op);
  apply<<<1, n>>>(x, op);
  map<<<1, n>>>(Map{x, op}, out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    const float once = i % 2 ? i * i : 2 * i, again = once * once;
    wrong += h[i] != again * again;
  }
  make<<<1, n>>>(shapes);
  grow<<<1, n>>>(shapes);
  areas<<<1, n>>>(shapes, out);
  sides<<<1, n>>>(shapes, out);
  drop<<<1, n>>>(shapes);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    wrong += h[i] != (i % 2 ? -1 : -3) * (i + 1) * (i + 1);
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaDeviceSynchronize()));
}
