// mma, ldmatrix and cp.async, this one in C++ as well. Registers are filled by the tables of the PTX ISA ("Matrix Fragments for mma"), written out here for
// the host; results are compared with sums.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

static int wrong = 0;
static void expect(const char* what, int where, double got, double wanted) {
  if (got != wanted && ++wrong < 20) printf("%s at %d: %g, expected %g\n", what, where, got, wanted);
}

typedef unsigned int Words[32][8];
struct Registers {
  Words a, b, c, d;
};
#define R4(x) "r"(r->x[t][0]), "r"(r->x[t][1]), "r"(r->x[t][2]), "r"(r->x[t][3])
#define D4 "=r"(r->d[t][0]), "=r"(r->d[t][1]), "=r"(r->d[t][2]), "=r"(r->d[t][3])
#define FOUR "{%0, %1, %2, %3}, "
__global__ void halves(Registers* r) {
  const int t = threadIdx.x;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " FOUR "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : D4 : R4(a), "r"(r->b[t][0]), "r"(r->b[t][1]), R4(c));
}
__global__ void bfloats(Registers* r) {
  const int t = threadIdx.x;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 " FOUR "{%4, %5}, {%6}, {%7, %8, %9, %10};"
      : D4 : "r"(r->a[t][0]), "r"(r->a[t][1]), "r"(r->b[t][0]), R4(c));
}
__global__ void into_halves(Registers* r) {
  const int t = threadIdx.x;
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
      : "=r"(r->d[t][0]), "=r"(r->d[t][1]) : R4(a), "r"(r->b[t][0]), "r"(r->b[t][1]), "r"(r->c[t][0]), "r"(r->c[t][1]));
}
__global__ void tf32(Registers* r) {
  const int t = threadIdx.x;
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " FOUR "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : D4 : R4(a), "r"(r->b[t][0]), "r"(r->b[t][1]), R4(c));
}
__global__ void bytes(Registers* r) {
  const int t = threadIdx.x;
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 " FOUR "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : D4 : R4(a), "r"(r->b[t][0]), "r"(r->b[t][1]), R4(c));
}
__global__ void doubles(Registers* r) {
  const int t = threadIdx.x;
  const double *a = (const double*)r->a[t], *b = (const double*)r->b[t], *c = (const double*)r->c[t];
  double* d = (double*)r->d[t];
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
      : "=d"(d[0]), "=d"(d[1]) : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1]));
}

enum Type { F16, BF16, F32, S8, U8, S32, F64 };
static const int kBytes[] = {2, 2, 4, 1, 1, 4, 8};
static void set(unsigned int* words, int i, Type type, double value) {
  const __half h = (float)value;
  const __nv_bfloat16 b = (float)value;
  const float f = value;
  const signed char s8 = value;
  const int s32 = value;
  const void* from[] = {&h, &b, &f, &s8, &s8, &s32, &value};
  memcpy((char*)words + i * kBytes[type], from[type], kBytes[type]);
}
static double get(const unsigned int* words, int i, Type type) {
  if (type == F16) return __half2float(((const __half*)words)[i]);
  if (type == F32) return ((const float*)words)[i];
  return type == S32 ? (double)((const int*)words)[i] : ((const double*)words)[i];
}
struct Place {
  int row, column;
};
typedef std::function<Place(int group, int t, int i)> Table;
static double of_a(int row, int k) { return (row * 3 + k) % 7; }
static double of_b(int k, int column) { return (k * 5 + column) % 4 - 1; }
static double of_c(int row, int column) { return row - 2 * column; }

static void check(const char* what, void (*kernel)(Registers*), int depth, Type in_a, Type in_b, Type out, int a_count, const Table& a,
                  int b_count, const Table& b, int c_count, const Table& c) {
  Registers* r;
  if (cudaMallocManaged(&r, sizeof(Registers)) != cudaSuccess) exit(1);
  memset(r, 0, sizeof *r);
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, t = lane % 4;
    for (int i = 0; i < a_count; ++i) set(r->a[lane], i, in_a, of_a(a(group, t, i).row, a(group, t, i).column));
    for (int i = 0; i < b_count; ++i) set(r->b[lane], i, in_b, of_b(b(group, t, i).row, b(group, t, i).column));
    for (int i = 0; i < c_count; ++i) set(r->c[lane], i, out, of_c(c(group, t, i).row, c(group, t, i).column));
  }
  kernel<<<1, 32>>>(r);
  expect(what, -1, cudaDeviceSynchronize(), 0);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < c_count; ++i) {
      const Place at = c(lane >> 2, lane % 4, i);
      double sum = of_c(at.row, at.column);
      for (int k = 0; k < depth; ++k) sum += of_a(at.row, k) * of_b(k, at.column);
      expect(what, 8 * lane + i, get(r->d[lane], i, out), sum);
    }
}

// A tile from global to shared memory, from there to registers, and the product: once with the columns of B in rows, once with its rows.
__global__ void tile(const __half* a, const __half* columns_of_b, const __half* rows_of_b, float* d) {
  __shared__ __align__(16) __half sa[16][16], sc[8][16], sr[16][8];
  const int lane = threadIdx.x, group = lane / 4, t = lane % 4;
  const auto shared = [](const void* p) { return (unsigned int)__cvta_generic_to_shared(p); };
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&sa[lane / 2][lane % 2 * 8])), "l"(a + 8 * lane));
  if (lane < 16) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared(&sc[lane / 2][lane % 2 * 8])), "l"(columns_of_b + 8 * lane));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared(&sr[lane][0])), "l"(rows_of_b + 8 * lane), "r"(16));
  }
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  unsigned int ra[4], rb[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(shared(&sa[lane % 16][lane / 16 * 8])));
  for (int way = 0; way < 2; ++way) {
    if (way == 0)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(shared(&sc[lane % 8][lane / 8 % 2 * 8])));
    else
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(shared(&sr[lane % 16][0])));
    float c[4] = {};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    *(float2*)&d[128 * way + 8 * group + 2 * t] = make_float2(c[0], c[1]);
    *(float2*)&d[128 * way + 8 * (group + 8) + 2 * t] = make_float2(c[2], c[3]);
  }
}
static void check_tile() {
  __half *a, *columns, *rows;
  float* d;
  if (cudaMallocManaged(&a, 512) || cudaMallocManaged(&columns, 256) || cudaMallocManaged(&rows, 256) || cudaMallocManaged(&d, 1024)) exit(1);
  for (int row = 0; row < 16; ++row)
    for (int k = 0; k < 16; ++k) a[16 * row + k] = (float)of_a(row, k);
  for (int k = 0; k < 16; ++k)
    for (int column = 0; column < 8; ++column) columns[16 * column + k] = rows[8 * k + column] = (float)of_b(k, column);
  tile<<<1, 32>>>(a, columns, rows, d);
  expect("tile", -1, cudaDeviceSynchronize(), 0);
  for (int i = 0; i < 256; ++i) {
    double sum = 0;
    for (int k = 0; k < 16; ++k) sum += of_a(i % 128 / 8, k) * of_b(k, i % 8);
    expect("tile", i, d[i], sum);
  }
}
// The same copies in C++: 16 and 4 bytes, and 16 of which the last 8 are zeros.
__global__ void staged(const float4* in, float4* out) {
  __shared__ float4 whole[32], partly[32];
  __shared__ float single[32];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&whole[t], &in[t], sizeof(float4));
  __pipeline_memcpy_async(&single[t], (const float*)in + t, sizeof(float));
  __pipeline_memcpy_async(&partly[t], &in[t], sizeof(float4), 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = make_float4(whole[31 - t].w, single[31 - t], partly[31 - t].y, partly[31 - t].z);
}
static void check_staged() {
  float4 *in, *out;
  if (cudaMallocManaged(&in, 512) || cudaMallocManaged(&out, 512)) exit(1);
  for (int i = 0; i < 128; ++i) ((float*)in)[i] = i;
  staged<<<1, 32>>>(in, out);
  expect("staged", -1, cudaDeviceSynchronize(), 0);
  for (int t = 0; t < 32; ++t) {
    expect("whole", t, out[t].x, 4 * (31 - t) + 3);
    expect("single", t, out[t].y, 31 - t);
    expect("partly", t, out[t].z, 4 * (31 - t) + 1);
    expect("zeros", t, out[t].w, 0);
  }
}
__global__ void rounded(float* x) { asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(*(unsigned int*)(x + threadIdx.x)) : "f"(x[threadIdx.x])); }

int main() {
  const Table c16 = [](int g, int t, int i) { return Place{i < 2 ? g : g + 8, t * 2 + (i & 1)}; };
  const Table a16 = [](int g, int t, int i) { return Place{i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)}; };
  const Table b16 = [](int g, int t, int i) { return Place{t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g}; };
  check("f16", halves, 16, F16, F16, F32, 8, a16, 4, b16, 4, c16);
  check("f16 into f16", into_halves, 16, F16, F16, F16, 8, a16, 4, b16, 4, c16);
  check("bf16", bfloats, 8, BF16, BF16, F32, 4, c16, 2, b16, 4, c16);  // a of k8 has the places of c
  check("tf32", tf32, 8, F32, F32, F32, 4, [](int g, int t, int i) { return Place{i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4}; },
        2, [](int g, int t, int i) { return Place{i == 0 ? t : t + 4, g}; }, 4, c16);
  check("bytes", bytes, 32, U8, S8, S32, 16,
        [](int g, int t, int i) { return Place{i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)}; }, 8,
        [](int g, int t, int i) { return Place{t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g}; }, 4, c16);
  check("f64", doubles, 4, F64, F64, F64, 1, [](int g, int t, int) { return Place{g, t}; }, 1, [](int g, int t, int) { return Place{t, g}; }, 2, c16);
  check_tile();
  check_staged();
  float* x;
  if (cudaMallocManaged(&x, 128)) exit(1);
  for (int i = 0; i < 32; ++i) x[i] = 1 + i * 0x1p-13f;
  rounded<<<1, 32>>>(x);
  expect("tf32", -1, cudaDeviceSynchronize(), 0);
  for (int i = 0; i < 32; ++i) expect("tf32", i, x[i], 1 + (i + 4) / 8 * 0x1p-10);
  puts(wrong == 0 ? "ok" : "wrong");
  return wrong != 0;
}
