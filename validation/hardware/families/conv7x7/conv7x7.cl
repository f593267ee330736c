// A 7 x 7 filter over an image of SIZE x SIZE outputs. Work-groups of TBX_XL x TBY_XL; a work-item computes WPTX x WPTY
// outputs from a window of (WPTX + 6) x (WPTY + 6) inputs. LOCAL = 0 reads the window from global memory. LOCAL = 1 first
// stages the work-group's inputs in local memory, rows PADDING elements wider than needed: every work-item its own WPTX x
// WPTY, and those at the work-group's edges the halo. UNROLL_FACTOR = 7 unrolls the loops over the filter, so the window is
// in registers. 1 leaves them rolled: the window is indexed at run time and lives in private memory. Stores are vectors of
// VECTOR elements.
#define HALO 3
#define FILTER (2 * HALO + 1)
#define PITCH (SIZE + 2 * HALO)
#define TILE_X (TBX_XL * WPTX)
#define TILE_Y (TBY_XL * WPTY)
#define WINDOW_X (WPTX + 2 * HALO)
#define WINDOW_Y (WPTY + 2 * HALO)

#if UNROLL_FACTOR == 7
#define UNROLL_FILTER _Pragma("unroll")
#else
#define UNROLL_FILTER _Pragma("nounroll")
#endif
#define EACH_INPUT(X, Y) \
  _Pragma("unroll") for (int X = 0; X < WINDOW_X; ++X) _Pragma("unroll") for (int Y = 0; Y < WINDOW_Y; ++Y)
#define EACH_OUTPUT(X, Y) \
  _Pragma("unroll") for (int X = 0; X < WPTX; ++X) _Pragma("unroll") for (int Y = 0; Y < WPTY; ++Y)

#if LOCAL
#define STAGE(X, Y) tile[Y][X] = in[(top + (Y)) * PITCH + left + (X)]
void stage(__global const float *restrict in, __local float (*tile)[TILE_X + 2 * HALO + PADDING]) {
  const int left = get_group_id(0) * TILE_X, top = get_group_id(1) * TILE_Y;
  EACH_OUTPUT(w, h) {
    const int x = get_local_id(0) * WPTX + w, y = get_local_id(1) * WPTY + h;
    STAGE(x + HALO, y + HALO);
    if (x < HALO) STAGE(x, y + HALO);
    if (x >= TILE_X - HALO) STAGE(x + 2 * HALO, y + HALO);
    if (y < HALO) STAGE(x + HALO, y);
    if (y >= TILE_Y - HALO) STAGE(x + HALO, y + 2 * HALO);
    if (x < HALO && y < HALO) STAGE(x, y);
    if (x >= TILE_X - HALO && y < HALO) STAGE(x + 2 * HALO, y);
    if (x < HALO && y >= TILE_Y - HALO) STAGE(x, y + 2 * HALO);
    if (x >= TILE_X - HALO && y >= TILE_Y - HALO) STAGE(x + 2 * HALO, y + 2 * HALO);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#define INPUT(X, Y) tile[get_local_id(1) * WPTY + (Y)][get_local_id(0) * WPTX + (X)]
#else
#define INPUT(X, Y) in[(get_global_id(1) * WPTY + (Y)) * PITCH + get_global_id(0) * WPTX + (X)]
#endif

__kernel void conv7x7(__global const float *restrict in, __global const float *restrict coefficients,
                      __global float *restrict out) {
#if LOCAL
  __local float tile[TILE_Y + 2 * HALO][TILE_X + 2 * HALO + PADDING];
  stage(in, tile);
#endif
  float window[WINDOW_X][WINDOW_Y];
  EACH_INPUT(x, y) window[x][y] = INPUT(x, y);
  float sum[WPTX][WPTY];
  EACH_OUTPUT(w, h) sum[w][h] = 0.0f;
  UNROLL_FILTER for (int fx = 0; fx < FILTER; ++fx) {
    UNROLL_FILTER for (int fy = 0; fy < FILTER; ++fy) {
      const float coefficient = coefficients[fy * FILTER + fx];
      EACH_OUTPUT(w, h) sum[w][h] = fma(window[w + fx][h + fy], coefficient, sum[w][h]);
    }
  }
  _Pragma("unroll") for (int h = 0; h < WPTY; ++h) {
    __global float *row = out + (get_global_id(1) * WPTY + h) * SIZE + get_global_id(0) * WPTX;
    _Pragma("unroll") for (int w = 0; w < WPTX; w += VECTOR) {
#if VECTOR == 1
      row[w] = sum[w][h];
#elif VECTOR == 2
      *(__global float2 *)(row + w) = (float2)(sum[w][h], sum[w + 1][h]);
#else
      *(__global float4 *)(row + w) = (float4)(sum[w][h], sum[w + 1][h], sum[w + 2][h], sum[w + 3][h]);
#endif
    }
  }
}
