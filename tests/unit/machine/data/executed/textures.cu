// Fetches from textures with the four numbers as they come, and surfaces. `at`: coordinates of a thread.
#define FETCH(name, form, ...)                                                                         \
  extern "C" __global__ void name(cudaTextureObject_t t, const float4 *at, float4 *out) {              \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    const float4 p = at[i];                                                                            \
    const int x = (int)p.x, y = (int)p.y, z = (int)p.z, layer = (int)p.w;                              \
    float4 v;                                                                                          \
    asm(form : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), __VA_ARGS__);                      \
    out[i] = v;                                                                                        \
    if (x == 1 << 20 && y + z + layer == 7) out[i] = p;                                                \
  }
#define TO "{%0,%1,%2,%3}, [%4, "
FETCH(line, "tex.1d.v4.f32.f32 " TO "{%5}];", "f"(p.x))
FETCH(plane, "tex.2d.v4.f32.f32 " TO "{%5,%6}];", "f"(p.x), "f"(p.y))
FETCH(solid, "tex.3d.v4.f32.f32 " TO "{%5,%6,%7,%7}];", "f"(p.x), "f"(p.y), "f"(p.z))
FETCH(line_layers, "tex.a1d.v4.f32.f32 " TO "{%6,%5}];", "f"(p.x), "r"(layer))
FETCH(plane_layers, "tex.a2d.v4.f32.f32 " TO "{%7,%5,%6,%6}];", "f"(p.x), "f"(p.y), "r"(layer))
FETCH(level, "tex.level.2d.v4.f32.f32 " TO "{%5,%6}], %7;", "f"(p.x), "f"(p.y), "f"(p.z))
FETCH(gradient, "tex.grad.2d.v4.f32.f32 " TO "{%5,%6}], {%7,%5}, {%6,%7};", "f"(p.x), "f"(p.y), "f"(p.z))
FETCH(gradient_layers, "tex.grad.a2d.v4.f32.f32 " TO "{%8,%5,%6,%6}], {%7,%5}, {%6,%7};", "f"(p.x), "f"(p.y), "f"(p.z), "r"(layer))
FETCH(shifted, "tex.2d.v4.f32.f32 " TO "{%5,%6}], {%7,%8};", "f"(p.x), "f"(p.y), "r"(3), "r"(-2))
FETCH(shifted_solid, "tex.3d.v4.f32.f32 " TO "{%5,%6,%7,%7}], {%8,%9,%9,%9};", "f"(p.x), "f"(p.y), "f"(p.z), "r"(1), "r"(-1))
FETCH(red, "tld4.r.2d.v4.f32.f32 " TO "{%5,%6}];", "f"(p.x), "f"(p.y))
FETCH(green, "tld4.g.2d.v4.f32.f32 " TO "{%5,%6}], {%7,%8};", "f"(p.x), "f"(p.y), "r"(3), "r"(-2))
FETCH(whole_line, "tex.1d.v4.f32.s32 " TO "{%5}];", "r"(x))
FETCH(whole_plane, "tex.2d.v4.f32.s32 " TO "{%5,%6}];", "r"(x), "r"(y))
FETCH(whole_solid, "tex.3d.v4.f32.s32 " TO "{%5,%6,%7,%7}];", "r"(x), "r"(y), "r"(z))
FETCH(whole_layers, "tex.a2d.v4.f32.s32 " TO "{%7,%5,%6,%6}];", "r"(x), "r"(y), "r"(layer))

// Of one of two textures, whose handles are in memory; some threads go around it.
extern "C" __global__ void chosen(const cudaTextureObject_t *t, const float4 *at, float4 *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 p = at[i];
  float4 v = make_float4(-1, -1, -1, -1);
  if (i % 3 != 0)
    asm("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "+f"(v.x), "+f"(v.y), "+f"(v.z), "+f"(v.w) : "l"(t[i % 2]), "f"(p.x), "f"(p.y));
  out[i] = v;
}
extern "C" __global__ void some_channels(cudaTextureObject_t t, const float4 *at, float4 *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = tex2D<float4>(t, at[i].x, at[i].y);
  out[i] = make_float4(v.x, 0, v.z, v.w);
}
extern "C" __global__ void sizes(cudaTextureObject_t t, const cudaTextureObject_t *more, int *out) {
  int w, h, d;
  asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));
  asm("txq.height.b32 %0, [%1];" : "=r"(h) : "l"(t));
  asm("txq.depth.b32 %0, [%1];" : "=r"(d) : "l"(more[threadIdx.x]));
  out[threadIdx.x] = w + 100 * h + 10000 * d;
}

// out: what is read at (x bytes, y, z); then it is written one element further, if that is inside. `at`: four numbers of a thread.
#define SURFACES(name, type, mode, suffix)                                                             \
  extern "C" __global__ void name##_line(cudaSurfaceObject_t s, const int4 *at, type *out) {           \
    out[threadIdx.x] = surf1Dread<type>(s, at[threadIdx.x].x, mode);                                   \
    surf1Dwrite(out[threadIdx.x], s, at[threadIdx.x].w, mode);                                         \
  }                                                                                                    \
  extern "C" __global__ void name##_plane(cudaSurfaceObject_t s, const int4 *at, type *out) {          \
    const int4 p = at[threadIdx.x];                                                                    \
    out[threadIdx.x] = surf2Dread<type>(s, p.x, p.y, mode);                                            \
    surf2Dwrite(out[threadIdx.x], s, p.w, p.y, mode);                                                  \
  }                                                                                                    \
  extern "C" __global__ void name##_solid(cudaSurfaceObject_t s, const int4 *at, type *out) {          \
    const int4 p = at[threadIdx.x];                                                                    \
    out[threadIdx.x] = surf3Dread<type>(s, p.x, p.y, p.z, mode);                                       \
    surf3Dwrite(out[threadIdx.x], s, p.w, p.y, p.z, mode);                                             \
  }                                                                                                    \
  extern "C" __global__ void name##_layers(cudaSurfaceObject_t s, const int4 *at, type *out) {         \
    const int4 p = at[threadIdx.x];                                                                    \
    out[threadIdx.x] = surf2DLayeredread<type>(s, p.x, p.y, p.z, mode);                                \
    surf2DLayeredwrite(out[threadIdx.x], s, p.w, p.y, p.z, mode);                                      \
  }
SURFACES(bytes, unsigned char, cudaBoundaryModeZero, b8)
SURFACES(pairs, float2, cudaBoundaryModeClamp, v2)
SURFACES(fours, uint4, cudaBoundaryModeTrap, v4)
extern "C" __global__ void formatted(cudaSurfaceObject_t s, const int4 *at, const float4 *in) {
  const int4 p = at[threadIdx.x];
  const float4 v = in[threadIdx.x];
  asm volatile("sust.p.2d.v4.b32.zero [%0, {%1,%2}], {%3,%4,%5,%6};" ::"l"(s), "r"(p.x), "r"(p.y), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
}
extern "C" __global__ void reduced(cudaSurfaceObject_t s, const int4 *at) {
  const int4 p = at[threadIdx.x];
  asm volatile("sured.b.add.2d.u32.zero [%0, {%1,%2}], %3;" ::"l"(s), "r"(p.x), "r"(p.y), "r"(p.w));
  asm volatile("sured.b.max.2d.s32.zero [%0, {%1,%2}], %3;" ::"l"(s), "r"(p.x + 4), "r"(p.y), "r"(p.w - 1000));
  asm volatile("sured.p.min.2d.b32.zero [%0, {%1,%2}], %3;" ::"l"(s), "r"(p.x / 4 + 2), "r"(p.y), "r"(p.w - 1000));
  asm volatile("sured.b.add.2d.u64.zero [%0, {%1,%2}], %3;" ::"l"(s), "r"(p.x & ~7), "r"(p.y + 1), "l"((long long)p.w << 30));
}
