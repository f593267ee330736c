// Transposes a matrix of n x n elements through a tile of 32 x 32 in local memory, 32/ROWS elements per work-item of a
// work-group of 32 x ROWS; work-items beyond n do nothing.
// ON_STORE 1: lanes store a column of the tile and read a row; 0: they store a row and read a column.
// PADDING: elements that a row of the tile is longer. SWIZZLED 1: element (y, x) is in column x ^ y of the tile.
#define AT(y, x) tile[y][SWIZZLED ? (x) ^ (y) : (x)]

__kernel void transpose_tile(__global const TYPE* in, __global TYPE* out, uint n) {
  __local TYPE tile[32][32 + PADDING];
  const uint x = get_local_id(0);
  const uint y = get_local_id(1);
  const uint left = get_group_id(0) * 32;
  const uint top = get_group_id(1) * 32;
#pragma unroll
  for (uint k = 0; k < 32; k += ROWS) {
    if (left + x < n && top + y + k < n) {
      const TYPE value = in[(top + y + k) * n + left + x];
      if (ON_STORE)
        AT(x, y + k) = value;
      else
        AT(y + k, x) = value;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (uint k = 0; k < 32; k += ROWS) {
    if (top + x < n && left + y + k < n)
      out[(left + y + k) * n + top + x] = ON_STORE ? AT(y + k, x) : AT(x, y + k);
  }
}
