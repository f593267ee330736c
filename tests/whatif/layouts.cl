// Kernels with two layouts each: as they are, and really changed (-D CHANGED=1, or other values of the macros).
#ifndef CHANGED
#define CHANGED 0
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef FIRST
#define FIRST 0
#endif
#ifndef TILE
#define TILE 16
#endif

// Rows and columns of one matrix; a row takes `pitch` elements in memory.
__kernel void rows(__global const float* in, __global float* out, int pitch, int out_pitch) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  float sum = in[y * pitch + x] + in[x * pitch + y];
  for (int k = 0; k < y % 5; ++k) sum += in[k * pitch + x];  // divergent, of another length in every row
  out[y * out_pitch + x] = sum;
}

// A transposition through a tile.
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void tile(__global const float* in, __global float* out,
                                                                        int width) {
  __local float tile[TILE][TILE + PAD];
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
#if CHANGED  // swizzled
  tile[ly][lx ^ ly] = in[get_global_id(1) * width + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * width + get_global_id(0)] = tile[lx][ly ^ lx];
#else
  tile[ly][lx] = in[get_global_id(1) * width + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * width + get_global_id(0)] = tile[lx][ly];
#endif
}

// The same with a tile that the caller sizes.
__kernel void given_tile(__global const float* in, __global float* out, __local float* tile, int width) {
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int pitch = get_local_size(0) + PAD;
  tile[ly * pitch + lx] = in[get_global_id(1) * width + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * width + get_global_id(0)] = tile[lx * pitch + ly];
}

// Structures of three floats and an int, or four arrays behind each other.
typedef struct {
  float x, y, z;
  int kind;
} Particle;
__kernel void particles(__global const float* p, __global float* out, int n) {
  const int i = get_global_id(0);
#if CHANGED
  const float x = p[i], y = p[n + i], z = p[2 * n + i];
  const int kind = ((__global const int*)p)[3 * n + i];
#else
  __global const Particle* all = (__global const Particle*)p;
  const float x = all[i].x, y = all[i].y, z = all[i].z;
  const int kind = all[i].kind;
#endif
  out[i] = kind > 50 ? x * y : z;
}

// Structures that one wide load takes.
__kernel void vectors(__global float* p, __global float* out, int n) {
  const int i = get_global_id(0);
#if CHANGED
  const float x = p[i], y = p[n + i], z = p[2 * n + i], w = p[3 * n + i];
#else
  const float4 v = ((__global const float4*)p)[i];
  const float x = v.x, y = v.y, z = v.z, w = v.w;
#endif
  out[i] = x * y + z * w;
}

// B is read along its columns, or along its rows where it is stored transposed.
__kernel void product(__global const float* A, __global const float* B, __global float* C, int n, int depth) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  float sum = 0;
#if CHANGED
  for (int k = 0; k < depth; ++k) sum += A[y * depth + k] * B[x * depth + k];
#else
  for (int k = 0; k < depth; ++k) sum += A[y * depth + k] * B[k * n + x];
#endif
  C[y * n + x] = sum;
}

// Begins at any element of `in`.
__kernel void shifted(__global const float* in, __global float* out, int n) {
  const int i = get_global_id(0);
  for (int k = 0; k < 3; ++k) out[i] = in[FIRST + k * n + i];
}

// Work-groups that compute from their number which work they do.
int2 place(void) {
  const int width = get_num_groups(0);
  const int height = get_num_groups(1);
  int number = get_group_id(0) + width * get_group_id(1);
#if CHANGED == 1  // tiles of 4 x 2 work-groups, both sizes multiples of it
  const int tile = number / 8;
  const int in_tile = number % 8;
  return (int2)(tile % (width / 4) * 4 + in_tile % 4, tile / (width / 4) * 2 + in_tile / 4);
#elif CHANGED == 2  // Morton: a square of a power of two
  int x = 0, y = 0;
  for (int bit = 0; bit < 8; ++bit) {
    x |= (number >> (2 * bit) & 1) << bit;
    y |= (number >> (2 * bit + 1) & 1) << bit;
  }
  return (int2)(x, y);
#else
  return (int2)(number % width, number / width);
#endif
}
__kernel void ordered(__global const float* A, __global const float* B, __global float* C, int n) {
  const int2 group = place();
  const int x = group.x * get_local_size(0) + get_local_id(0);
  const int y = group.y * get_local_size(1) + get_local_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += A[y * n + k] * B[k * n + x];
  C[y * n + x] = sum;
}

// One argument may be volatile: its accesses bypass the L1. Or restrict: its loads are read-only ones.
#if CHANGED
#define MAYBE_VOLATILE volatile
#define MAYBE_RESTRICT restrict
#else
#define MAYBE_VOLATILE
#define MAYBE_RESTRICT
#endif
__kernel void twice(__global const MAYBE_VOLATILE float* in, __global const float* other, __global float* out, int n) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += in[(i + k) % n] + other[i];
  out[i] = sum;
}

// All arguments but `in` may be volatile: only its loads look the L1 up.
__kernel void reader(__global const float* MAYBE_RESTRICT in, __global const float* other, __global float* out, int n) {
  const int i = get_global_id(0);
  const float factor = other[i];
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += in[(i + k) % n];
  out[i] = sum * factor;
}

// Four neighbouring loads, or a wide one; three pairs, in a loop and from local memory; no loads that can be joined.
__kernel void quads(__global const float* in, __global float* out) {
  const int i = get_global_id(0);
#if CHANGED
  const float4 v = ((__global const float4*)in)[i];
  out[i] = v.x * v.y + v.z * v.w;
#else
  out[i] = in[4 * i] * in[4 * i + 1] + in[4 * i + 2] * in[4 * i + 3];
#endif
}
__kernel void pairs(__global const float* in, __global float* out, __local float* kept, int n) {
  const int i = get_global_id(0);
  const int l = get_local_id(0);
  kept[l] = in[6 * i];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = 0; k < n + i % 3; ++k) {
#if CHANGED
    __global const float2* p = (__global const float2*)in + 3 * (i + k);
    sum += p[0].x * p[0].y - p[1].x * p[1].y - p[2].x * p[2].y;
#else
    __global const float* p = in + 6 * (i + k);
    sum += p[0] * p[1] - p[2] * p[3] - p[4] * p[5];
#endif
  }
#if CHANGED
  const float2 both = ((__local float2*)kept)[l / 2];
  out[i] = sum + both.x * both.y;
#else
  out[i] = sum + kept[l & ~1] * kept[l | 1];
#endif
}
__kernel void apart(__global float* in, __global float* out) {
  const int i = get_global_id(0);
  out[i] = in[5 * i] * in[5 * i + 1];
  out[i] = in[i] + in[i + 7];
  const float first = in[2 * i + 2048];
  in[i + 8192] = first;
  out[i] = first * in[2 * i + 2049];
}

// What does not fit: two types, pointers as data, rows that an access crosses.
__kernel void two_types(__global const float* in, __global float* out) {
  const int i = get_global_id(0);
  out[i] = in[i] + ((__global const uchar*)in)[i * 3 + 1];
}
__kernel void linked(__global ulong* list, __global ulong* out) {
  const int i = get_global_id(0);
  list[i * 2] = (ulong)(list + (i * 2 + 2) % (2 * (int)get_global_size(0)));
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = *((__global ulong* __global*)list)[i * 2];
}
__kernel void crossing(__global const float* in, __global float* out) {
  const int i = get_global_id(0);
  out[i] = dot(vload4(0, in + i), (float4)(1, 2, 3, 4));
}
__kernel void either(__global const float* in, __global const float* other, __global float* out) {
  const int i = get_global_id(0);
  __global const float* from = i % 2 ? in : other;
  out[i] = from[i];
}

// Places that an index array decides, in shuffled or really sorted order.
__kernel void gather(__global const int* restrict index, __global const float* restrict in, __global float* restrict out) {
  out[get_global_id(0)] = in[index[get_global_id(0)]];
}
__kernel void histogram(__global const int* restrict index, __global int* restrict bins) {
  atomic_inc(&bins[index[get_global_id(0)] >> 2]);
}
__kernel void two_levels(__global const int* restrict index, __global const int* restrict table, __global float* restrict out) {
  out[get_global_id(0)] = table[table[4096 + index[get_global_id(0)]]];
}
__kernel void strided_gather(__global const int* restrict index, __global const float* restrict in, __global float* restrict out, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[3 * index[get_global_id(0) + k * (int)get_global_size(0)]];
  out[get_global_id(0)] = sum;
}
__kernel void rows_of_index(__global const int* restrict index, __global const float* restrict in, __global float* restrict out, int n) {
  const int row = index[get_global_id(0)];
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[row * n + k];
  out[get_global_id(0)] = sum;
}

// Indices whose sorting a capture cannot show.
__kernel void index_and_item(__global const int* restrict index, __global const float* restrict in, __global float* restrict out) {
  out[get_global_id(0)] = in[index[get_global_id(0)] + get_local_id(0)];
}
__kernel void index_branch(__global const int* restrict index, __global const float* restrict in, __global float* restrict out) {
  const int at = index[get_global_id(0)];
  if (at % 3 == 0) out[get_global_id(0)] = in[at] * in[at + 1];
}
__kernel void index_of_itself(__global const int* restrict index, __global float* restrict out) {
  out[get_global_id(0)] = index[index[get_global_id(0)]];
}
__kernel void index_in_local(__global const int* restrict index, __global const float* restrict in, __global float* restrict out) {
  __local int tile[64];
  tile[get_local_id(0)] = index[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = in[tile[63 - get_local_id(0)]] + in[index[get_global_id(0)]];
}
__kernel void index_written(__global int* index, __global const float* in, __global float* out) {
  const int i = get_global_id(0);
  out[i] = in[index[i]];
  index[i] = 0;
}
__kernel void two_indices(__global const int* restrict index, __global const int* restrict other, __global const float* restrict in,
                          __global float* restrict out) {
  out[get_global_id(0)] = in[index[get_global_id(0)] + other[get_global_id(0)]];
}
