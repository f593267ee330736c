// Rows of a power of two in local memory, of other types and sizes than the usual float[32][32].
#define N 16
__kernel void doubles(__global const double *in, __global double *out, int w) {
    __local double sd[N][N];  // 16 rows
    int x = get_local_id(0), y = get_local_id(1);
    sd[y][x] = in[get_global_id(1) * w + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    double s = 0;
    for (int k = 0; k < N; ++k) s += sd[(x + k) % N][y];
    out[get_global_id(1) * w + get_global_id(0)] = s;
}
