// A 15 x 15 filter over an image of SIZE x SIZE outputs. Work-groups of block_size_x x block_size_y; a work-item computes
// tile_size_x x tile_size_y outputs, a work-group's width and height apart. The work-group copies its inputs into local
// memory. use_padding widens the rows there until work-items of neighbouring rows use neighbouring banks. read_only takes
// the path of data that nothing writes.
#define FILTER 15
#define PITCH (SIZE + FILTER - 1)
#define OUTPUTS_X (block_size_x * tile_size_x)
#define OUTPUTS_Y (block_size_y * tile_size_y)
#define TILE_X (OUTPUTS_X + FILTER - 1)
#define TILE_Y (OUTPUTS_Y + FILTER - 1)
// Padding makes the row, less the work-group's width, a multiple of the banks.
#if use_padding && block_size_x % 32 != 0 && (TILE_X - block_size_x) % 32 != 0
#define PADDING (32 - (TILE_X - block_size_x) % 32)
#else
#define PADDING 0
#endif
#if read_only
#define INPUT __global const float *restrict
#else
#define INPUT __global float *
#endif
#define EACH_OUTPUT(A, B) \
  _Pragma("unroll") for (int B = 0; B < tile_size_y; ++B) _Pragma("unroll") for (int A = 0; A < tile_size_x; ++A)

__kernel void convolution(__global float *restrict out, INPUT in, __constant float *filter) {
  __local float tile[TILE_Y][TILE_X + PADDING];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int left = get_group_id(0) * OUTPUTS_X, top = get_group_id(1) * OUTPUTS_Y;
  for (int y = ty; y < TILE_Y; y += block_size_y) {
    for (int x = tx; x < TILE_X; x += block_size_x) {
#if SIZE % OUTPUTS_X == 0 && SIZE % OUTPUTS_Y == 0
      tile[y][x] = in[(top + y) * PITCH + left + x];
#else
      if (top + y < PITCH && left + x < PITCH) tile[y][x] = in[(top + y) * PITCH + left + x];
#endif
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum[tile_size_y][tile_size_x];
  EACH_OUTPUT(a, b) sum[b][a] = 0.0f;
  _Pragma("nounroll") for (int i = 0; i < FILTER; ++i) {
    _Pragma("unroll") for (int j = 0; j < FILTER; ++j) {
      EACH_OUTPUT(a, b)
        sum[b][a] = fma(tile[ty + b * block_size_y + i][tx + a * block_size_x + j], filter[i * FILTER + j], sum[b][a]);
    }
  }
  EACH_OUTPUT(a, b) {
    const int x = left + tx + a * block_size_x, y = top + ty + b * block_size_y;
#if SIZE % OUTPUTS_X == 0 && SIZE % OUTPUTS_Y == 0
    out[y * SIZE + x] = sum[b][a];
#else
    if (x < SIZE && y < SIZE) out[y * SIZE + x] = sum[b][a];
#endif
  }
}
