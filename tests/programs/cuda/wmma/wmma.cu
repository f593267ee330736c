// Products of a warp's fragments in every type, shape and order of memory, compared with sums on the host; and which lane has
// which element, compared with what is published. Prints "ok".
#include <cuda_bf16.h>
#include <mma.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace nvcuda;

static int wrong = 0;
static void expect(bool holds, const char* what, int where) {
  if (!holds && ++wrong < 20) printf("wrong: %s at %d\n", what, where);
}

// Each warp computes a tile of rows x columns, in steps of K; a block may have warps with nothing to do.
template <int M, int N, int K, class T, class S, class C, class MajorA, class MajorB, wmma::layout_t order>
__global__ void product(const S* a, const S* b, const C* c, C* d, int rows, int columns, int depth) {
  const int top = M * ((blockIdx.x * blockDim.x + threadIdx.x) / 32), left = N * (blockIdx.y * blockDim.y + threadIdx.y);
  wmma::fragment<wmma::matrix_a, M, N, K, T, MajorA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, MajorB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> sum;
  wmma::fill_fragment(sum, 0);
  const bool a_in_rows = std::is_same<MajorA, wmma::row_major>::value, b_in_rows = std::is_same<MajorB, wmma::row_major>::value;
  const int lead_a = a_in_rows ? depth : rows, lead_b = b_in_rows ? columns : depth;
  if (top < rows && left < columns) {
    for (int k = 0; k < depth; k += K) {
      wmma::load_matrix_sync(fa, a_in_rows ? a + top * depth + k : a + k * rows + top, lead_a);
      wmma::load_matrix_sync(fb, b_in_rows ? b + k * columns + left : b + left * depth + k, lead_b);
      wmma::mma_sync(sum, fa, fb, sum);
    }
    const bool in_rows = order == wmma::mem_row_major;
    const int at = in_rows ? top * columns + left : left * rows + top, lead = in_rows ? columns : rows;
    wmma::fragment<wmma::accumulator, M, N, K, C> old;
    wmma::load_matrix_sync(old, c + at, lead, order);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + C(2) * old.x[i];
    wmma::store_matrix_sync(d + at, sum, lead, order);
  }
}

template <class T> static T* managed(size_t count) {
  T* p;
  if (cudaMallocManaged(&p, count * sizeof(T)) != cudaSuccess) exit(1);
  return p;
}

template <int M, int N, int K, class T, class S, class C, class MajorA, class MajorB, wmma::layout_t order>
static void check(const char* what) {
  const int rows = 3 * M, columns = 2 * N, depth = 2 * K;
  S *a = managed<S>(rows * depth), *b = managed<S>(depth * columns);
  C *c = managed<C>(rows * columns), *d = managed<C>(rows * columns);
  // Small whole numbers: every sum is exact in every type.
  for (int i = 0; i < rows * depth; ++i) a[i] = S(i * 7 % 5);
  for (int i = 0; i < depth * columns; ++i) b[i] = S(i * 5 % 4);
  for (int i = 0; i < rows * columns; ++i) c[i] = C(i % 11);
  product<M, N, K, T, S, C, MajorA, MajorB, order><<<dim3(2, 1), dim3(64, 2)>>>(a, b, c, d, rows, columns, depth);
  expect(cudaDeviceSynchronize() == cudaSuccess, what, -1);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += double(a[std::is_same<MajorA, wmma::row_major>::value ? i * depth + k : k * rows + i]) *
               double(b[std::is_same<MajorB, wmma::row_major>::value ? k * columns + j : j * depth + k]);
      const int at = order == wmma::mem_row_major ? i * columns + j : j * rows + i;
      expect(double(d[at]) == sum + 2 * double(c[at]), what, at);
    }
}

template <int M, int N, int K, class T, class S, class C> static void check_orders(const char* what) {
  check<M, N, K, T, S, C, wmma::row_major, wmma::col_major, wmma::mem_row_major>(what);
  check<M, N, K, T, S, C, wmma::col_major, wmma::row_major, wmma::mem_col_major>(what);
}

// Fragments of matrices whose elements are their own numbers, row by row.
__global__ void places(const half* numbers, const float* floats, float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(a, numbers, 16);
  wmma::load_matrix_sync(b, numbers, 16);
  wmma::load_matrix_sync(c, floats, 16, wmma::mem_row_major);
  float* mine = out + 40 * threadIdx.x;
  for (int i = 0; i < 16; ++i) mine[i] = a.x[i], mine[16 + i] = b.x[i];
  for (int i = 0; i < 8; ++i) mine[32 + i] = c.x[i];
}

// By the eight groups of four lanes: Raihan et al., ISPASS 2019, figure 7.
static void volta(const float* mine, int lane) {
  const int rows_of_a[] = {0, 8, 0, 8, 4, 12, 4, 12}, columns_of_b[] = {0, 0, 8, 8, 4, 4, 12, 12};
  const int group = lane / 4, in_group = lane % 4;
  for (int i = 0; i < 16; ++i) {
    expect(mine[i] == 16 * (rows_of_a[group] + in_group) + i, "A of Volta", lane);
    expect(mine[16 + i] == 16 * (in_group + i / 4 * 4) + columns_of_b[group] + i % 4, "B of Volta", lane);
  }
  for (int i = 0; i < 8; ++i) {  // pairs of columns, four apart; two rows, two apart
    const int row = rows_of_a[group] + in_group % 2 + (i & 2), column = columns_of_b[group] / 8 * 8 + in_group / 2 * 2 + i / 4 * 4 + i % 2;
    expect(mine[32 + i] == 16 * row + column, "C of Volta", lane);
  }
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16": two of them side by side.
static void turing(const float* mine, int lane) {
  const int group = lane >> 2, in_group = lane % 4;
  for (int i = 0; i < 8; ++i) {
    const int row = (i == 0 || i == 1 || i == 4 || i == 5) ? group : group + 8, column = in_group * 2 + (i & 1) + (i < 4 ? 0 : 8);
    expect(mine[i] == 16 * row + column, "A", lane);
    expect(mine[32 + i] == 16 * row + column, "C", lane);
    const int depth = in_group * 2 + (i & 1) + (i % 4 < 2 ? 0 : 8), to = group + (i < 4 ? 0 : 8);
    expect(mine[16 + i] == 16 * depth + to, "B", lane);
    expect(mine[i + 8] == mine[i] && mine[24 + i] == mine[16 + i], "the second half", lane);
  }
}

__device__ int arch;
__global__ void tell_arch() {
#ifdef __CUDA_ARCH__
  arch = __CUDA_ARCH__;
#endif
}

__global__ void saturate(const signed char* ones, int* c, int* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::load_matrix_sync(a, ones, 16);
  wmma::load_matrix_sync(b, ones, 16);
  wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
  wmma::mma_sync(sum, a, b, sum, true);
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

__global__ void round_to_tf32(float* x) { x[threadIdx.x] = wmma::__float_to_tf32(x[threadIdx.x]); }

int main() {
  tell_arch<<<1, 1>>>();
  int version;
  cudaMemcpyFromSymbol(&version, arch, sizeof version);
  half* numbers = managed<half>(256);
  float *floats = managed<float>(256), *out = managed<float>(32 * 40);
  for (int i = 0; i < 256; ++i) numbers[i] = half(float(i)), floats[i] = float(i);
  places<<<1, 32>>>(numbers, floats, out);
  expect(cudaDeviceSynchronize() == cudaSuccess, "places", 0);
  for (int lane = 0; lane < 32; ++lane) version < 750 ? volta(out + 40 * lane, lane) : turing(out + 40 * lane, lane);

  check_orders<16, 16, 16, half, half, float>("half 16x16x16");
  check_orders<16, 16, 16, half, half, half>("half 16x16x16 into half");
#ifdef FROM_AMPERE
  {
    check_orders<32, 8, 16, half, half, float>("half 32x8x16");
    check_orders<8, 32, 16, half, half, half>("half 8x32x16 into half");
    check_orders<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16 16x16x16");
    check_orders<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16 8x32x16");
    check_orders<16, 16, 8, wmma::precision::tf32, float, float>("tf32 16x16x8");
    check_orders<16, 16, 16, signed char, signed char, int>("signed char 16x16x16");
    check_orders<32, 8, 16, unsigned char, unsigned char, int>("unsigned char 32x8x16");
    check_orders<8, 8, 4, double, double, double>("double 8x8x4");
    signed char* ones = managed<signed char>(256);
    int *c = managed<int>(256), *d = managed<int>(256);
    for (int i = 0; i < 256; ++i) ones[i] = 1, c[i] = i % 2 ? 0x7ffffff8 : 5;  // 16 more is beyond the end
    saturate<<<1, 32>>>(ones, c, d);
    expect(cudaDeviceSynchronize() == cudaSuccess, "saturate", 0);
    for (int i = 0; i < 256; ++i) expect(d[i] == (i % 2 ? 0x7fffffff : 21), "saturate", i);
    for (int i = 0; i < 256; ++i) floats[i] = (i % 2 ? -1 : 1) * std::ldexp(1.0f + i * 0x1p-13f, i % 20 - 10);
    std::vector<float> before(floats, floats + 256);
    round_to_tf32<<<1, 256>>>(floats);
    expect(cudaDeviceSynchronize() == cudaSuccess, "tf32", 0);
    for (int i = 0; i < 256; ++i) expect(floats[i] == std::ldexp(std::round(std::ldexp(before[i], 10 - (i % 20 - 10))), i % 20 - 10 - 10), "tf32", i);
  }
#endif
  puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
