// 19 numbers per node: next to each other (NEAR), or a plane for each of them, which is coalesced.
#if NEAR
#define AT(n, i) ((n) * 19 + (i))
#else
#define AT(n, i) ((i) * N + (n))
#endif
__kernel void stream(__global const float *f, __global float *g) {
    uint n = get_global_id(0), N = get_global_size(0);
    float sum = 0.0f, p[19];
    for (uint i = 0; i < 19; ++i) { p[i] = f[AT((n + i * 64) % N, i)]; sum += p[i]; }
    for (uint i = 0; i < 19; ++i) g[AT(n, i)] = p[i] + 0.1f * (sum - p[i]);
}
