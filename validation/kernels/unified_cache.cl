// The accesses of the kernels of unified_cache.csv, written from their descriptions. ACROSS 1: the row comes from get_global_id(0), so neighbouring
// lanes are a row apart; 0: they are neighbours. BLOCK: the side of a square work-group. n: elements of a row.
#define ROW (ACROSS ? get_global_id(0) : get_global_id(1))
#define COLUMN (ACROSS ? get_global_id(1) : get_global_id(0))

__kernel void product(__global const float *a, __global const float *b, __global float *c, uint n) {
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k) sum += a[ROW * n + k] * b[k * n + COLUMN];
  c[ROW * n + COLUMN] = sum;
}

__kernel void tiled(__global const float *a, __global const float *b, __global float *c, uint n) {
  __local float of_a[BLOCK][BLOCK], of_b[BLOCK][BLOCK];
  const uint row = get_local_id(ACROSS ? 0 : 1), column = get_local_id(ACROSS ? 1 : 0);
  float sum = 0.0f;
  for (uint first = 0; first < n; first += BLOCK) {
    of_a[row][column] = a[ROW * n + first + column];
    of_b[row][column] = b[(first + row) * n + COLUMN];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BLOCK; ++k) sum += of_a[row][k] * of_b[k][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[ROW * n + COLUMN] = sum;
}

__kernel void sum(__global const float *a, __global const float *b, __global float *c, uint n) {
  c[ROW * n + COLUMN] = a[ROW * n + COLUMN] + b[ROW * n + COLUMN];
}

// Half of a step of a bitonic sort: the elements that sort upwards. Those that sort downwards are read in the same way by instructions of their own,
// which LLVM would merge with these. `distance` between the two of a pair, which sort in one direction for `run` elements.
__kernel void bitonic(__global int *values, uint distance, uint run) {
  const uint i = get_global_id(0), other = i ^ distance;
  if (other <= i || (i & run) != 0) return;
  const int here = values[i], there = values[other];
  if (here > there) values[i] = there, values[other] = here;
}

// Tiles of 16 x 16 that overlap by 4 and begin 2 outside of the n x n elements, of which the inner 12 x 12 are stored: the accesses of Rodinia's
// hotspot.
__kernel void halo(__global const float *temperature, __global const float *power, __global float *out, int n) {
  __local float of_temperature[16][16], of_power[16][16];
  const int tx = get_local_id(0), ty = get_local_id(1), x = 12 * (int)get_group_id(0) - 2 + tx, y = 12 * (int)get_group_id(1) - 2 + ty;
  const bool in = x >= 0 && x < n && y >= 0 && y < n, stored = tx >= 2 && tx < 14 && ty >= 2 && ty < 14;
  if (in) of_temperature[ty][tx] = temperature[y * n + x], of_power[ty][tx] = power[y * n + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (in && stored) out[y * n + x] = of_temperature[ty][tx] + of_power[ty][tx];
}

// A column of inputs, and weights in rows of 17 elements: the loads of the forward layer of Rodinia's backprop.
__kernel void layer(__global const float *input, __global const float *weights, __global float *out) {
  __local float of_input[16];
  const uint x = get_local_id(0), y = get_local_id(1), group = get_group_id(1);
  if (x == 0) of_input[y] = input[16 * group + y + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint at = 17 * (16 * group + y) + x + 18;
  out[at] = weights[at] * of_input[y];
}
