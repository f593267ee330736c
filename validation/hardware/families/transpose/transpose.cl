// Transposes a matrix of SIZE x SIZE floats. A work-item handles TILE_SIZE_Y / WORK_GROUP_SIZE_Y vectors of VECTOR_TYPE
// elements. CR = 0 reads rows and writes columns, CR = 1 reads columns and writes rows, and LOCAL_MEM = 1 goes through a
// tile in local memory, whose rows are PADD_LOCAL elements wider than needed. DIAGONAL_MAP deals the work-groups out along
// diagonals of the matrix.
#if VECTOR_TYPE == 1
typedef float Elements;
#elif VECTOR_TYPE == 2
typedef float2 Elements;
#else
typedef float4 Elements;
#endif

#if DIAGONAL_MAP
#define GROUP_ROW ((get_group_id(0) + get_group_id(1)) % (SIZE / TILE_SIZE_Y))
#else
#define GROUP_ROW get_group_id(1)
#endif

// From a column's elements to those of a row's vector, and back.
#if VECTOR_TYPE == 1
#define EACH_ELEMENT(DO) DO(0, )
#elif VECTOR_TYPE == 2
#define EACH_ELEMENT(DO) DO(0, .x) DO(1, .y)
#else
#define EACH_ELEMENT(DO) DO(0, .x) DO(1, .y) DO(2, .z) DO(3, .w)
#endif
#define LOAD_ELEMENT(I, MEMBER) elements MEMBER = in[(x * VECTOR_TYPE + I) * SIZE + y];
#define STORE_ELEMENT(I, MEMBER) out[(x * VECTOR_TYPE + I) * SIZE + y] = elements MEMBER;

__kernel void transpose(__global const float *restrict in, __global float *restrict out) {
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int group_row = GROUP_ROW;
#if LOCAL_MEM
  __local float tile[TILE_SIZE_Y][TILE_SIZE_X + PADD_LOCAL];
  const int left = get_group_id(0) * TILE_SIZE_X, top = group_row * TILE_SIZE_Y;
  for (int row = ty; row < TILE_SIZE_Y; row += WORK_GROUP_SIZE_Y)
    tile[row][tx] = in[(top + row) * SIZE + left + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int item = ty * TILE_SIZE_X + tx, row = item % TILE_SIZE_Y;
  for (int i = item / TILE_SIZE_Y; i < TILE_SIZE_X; i += WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y / TILE_SIZE_Y)
    out[(left + i) * SIZE + top + row] = tile[row][i];
#else
  const int x = get_group_id(0) * TILE_SIZE_X + tx;
  for (int row = ty; row < TILE_SIZE_Y; row += WORK_GROUP_SIZE_Y) {
    const int y = group_row * TILE_SIZE_Y + row;
    const int place = y * (SIZE / VECTOR_TYPE) + x;
#if CR
    Elements elements;
    EACH_ELEMENT(LOAD_ELEMENT)
    ((__global Elements *)out)[place] = elements;
#else
    const Elements elements = ((__global const Elements *)in)[place];
    EACH_ELEMENT(STORE_ELEMENT)
#endif
  }
#endif
}
