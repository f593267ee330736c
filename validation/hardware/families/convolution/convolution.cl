// A 15 x 15 filter over an image of SIZE x SIZE outputs. Work-groups of block_size_x x block_size_y; a work-item computes
// tile_size_x x tile_size_y outputs, a work-group's width and height apart. The work-group copies its inputs into local
// memory. read_only takes the path of data that nothing writes. use_padding has no effect, as in the measured program, whose
// local memory is as large with it as without.
#define FILTER 15
#define PITCH (SIZE + FILTER - 1)
#define OUTPUTS_X (block_size_x * tile_size_x)
#define OUTPUTS_Y (block_size_y * tile_size_y)
#define TILE_X (OUTPUTS_X + FILTER - 1)
#define TILE_Y (OUTPUTS_Y + FILTER - 1)
#if read_only
#define INPUT __global const float *restrict
#else
#define INPUT __global float *
#endif
#if SIZE % OUTPUTS_X == 0 && SIZE % OUTPUTS_Y == 0
#define IS_INSIDE(X, Y, WIDTH) true
#else
#define IS_INSIDE(X, Y, WIDTH) ((X) < (WIDTH) && (Y) < (WIDTH))
#endif
#define COPY(X) \
  if (IS_INSIDE(left + (X), top + y, PITCH)) tile[y][X] = in[(top + y) * PITCH + left + (X)];
#define EACH_OUTPUT(A, B) \
  _Pragma("unroll") for (int B = 0; B < tile_size_y; ++B) _Pragma("unroll") for (int A = 0; A < tile_size_x; ++A)
// Row FIRST + I of the filter.
#define ROW(FIRST, I) \
  _Pragma("unroll") for (int j = 0; j < FILTER; ++j) EACH_OUTPUT(a, b) \
    sum[b][a] = fma(tile[ty + (FIRST) + (b * block_size_y + (I))][tx + a * block_size_x + j], filter[((FIRST) + (I)) * FILTER + j], sum[b][a]);
// Outputs share loads of local memory within the rows of the filter that were unrolled together. Where there are many outputs the
// measured compiler left a loop of rows: three by three, after three of them one by one. The wavefronts of 210 variants show it:
// where block_size_y is 1, eight rows find the loads of the row before; where it is 2, four find those of the second before.
// With copies_only an output is its first input: the loads of global memory are all there, and the kernel compiles in a fifth of the
// time.
#ifdef copies_only
#define EACH_ROW EACH_OUTPUT(a, b) sum[b][a] = tile[ty + b * block_size_y][tx + a * block_size_x];
#elif tile_size_x * tile_size_y < 24
#define EACH_ROW \
  ROW(0, 0) ROW(0, 1) ROW(0, 2) ROW(0, 3) ROW(0, 4) ROW(0, 5) ROW(0, 6) ROW(0, 7) ROW(0, 8) ROW(0, 9) ROW(0, 10) ROW(0, 11) \
  ROW(0, 12) ROW(0, 13) ROW(0, 14)
#else
#define EACH_ROW \
  _Pragma("nounroll") for (int i = 0; i < 3; ++i) { ROW(i, 0) } \
  _Pragma("nounroll") for (int i = 3; i < FILTER; i += 3) { ROW(i, 0) ROW(i, 1) ROW(i, 2) }
#endif

__kernel void convolution(__global float *restrict out, INPUT in, __constant float *filter) {
  __local float tile[TILE_Y][TILE_X];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int left = get_group_id(0) * OUTPUTS_X, top = get_group_id(1) * OUTPUTS_Y;
  // Every block_size_x-th element of a row, four at a time after those that are left over: as the loop was compiled.
  // Work-items that differ in what is left over part here, which the measured requests show.
  const int count = (TILE_X - tx + block_size_x - 1) / block_size_x;
  for (int y = ty; y < TILE_Y; y += block_size_y) {
    int x = tx;
    _Pragma("nounroll") for (int left_over = count % 4; left_over > 0; --left_over) {
      COPY(x)
      x += block_size_x;
    }
    _Pragma("nounroll") for (; x < TILE_X; x += 4 * block_size_x) {
      COPY(x)
      COPY(x + block_size_x)
      COPY(x + 2 * block_size_x)
      COPY(x + 3 * block_size_x)
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum[tile_size_y][tile_size_x];
  EACH_OUTPUT(a, b) sum[b][a] = 0.0f;
  EACH_ROW
  EACH_OUTPUT(a, b) {
    const int x = left + tx + a * block_size_x, y = top + ty + b * block_size_y;
    if (IS_INSIDE(x, y, SIZE)) out[y * SIZE + x] = sum[b][a];
  }
}
