// A variant of mm.cl (benchmarks/perf/judgements): TILE x TILE elements of C for each work-group, WIDE next to each other for each work-item, rows of
// the tiles PAD elements apart from each other, UNROLL products at a time.
#if WIDE == 1
typedef float wide;
#define LOAD(from) (*(from))
#define STORE(value, to) (*(to) = (value))
#else
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, WIDE) wide;
#define LOAD(from) JOIN(vload, WIDE)(0, from)
#define STORE(value, to) JOIN(vstore, WIDE)(value, 0, to)
#endif

kernel void mm(global const float *A, global const float *B, global float *C, uint width) {
  local float a[TILE][TILE + PAD], b[TILE][TILE + PAD];
  const uint column = get_local_id(0) * WIDE, row = get_local_id(1), x = get_global_id(0) * WIDE, y = get_global_id(1);
  wide sum = 0;
  for (uint start = 0; start < width; start += TILE) {
    STORE(LOAD(A + y * width + start + column), &a[row][column]);
    STORE(LOAD(B + (start + row) * width + x), &b[row][column]);
    barrier(CLK_LOCAL_MEM_FENCE);
    __attribute__((opencl_unroll_hint(UNROLL))) for (uint k = 0; k < TILE; ++k) sum += a[row][k] * LOAD(&b[k][column]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  STORE(sum, C + y * width + x);
}
