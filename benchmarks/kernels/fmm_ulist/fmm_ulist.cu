// Direct near-field interactions of a fast multipole method: fmm_ulist.cl in CUDA, with the same optimisations.
#include <cuda_runtime.h>

#if TRANS && !SHMEM
#error "TRANS: expected with SHMEM=1 only"
#endif

__device__ float4 source_at(const float* source, unsigned int sources, unsigned int j) {
#if VECPACK
  return reinterpret_cast<const float4*>(source)[j];
#else
  return make_float4(source[j], source[sources + j], source[2 * sources + j], source[3 * sources + j]);
#endif
}

__device__ float4 tile_at(const float* tile, unsigned int pitch, unsigned int j) {
#if TRANS && VECPACK
  return reinterpret_cast<const float4*>(tile)[j];
#elif TRANS
  return make_float4(tile[4 * j], tile[4 * j + 1], tile[4 * j + 2], tile[4 * j + 3]);
#else
  return make_float4(tile[j], tile[pitch + j], tile[2 * pitch + j], tile[3 * pitch + j]);
#endif
}

__device__ void put_tile(float* tile, unsigned int pitch, unsigned int j, float4 point) {
#if TRANS && VECPACK
  reinterpret_cast<float4*>(tile)[j] = point;
#elif TRANS
  tile[4 * j] = point.x;
  tile[4 * j + 1] = point.y;
  tile[4 * j + 2] = point.z;
  tile[4 * j + 3] = point.w;
#else
  tile[j] = point.x;
  tile[pitch + j] = point.y;
  tile[2 * pitch + j] = point.z;
  tile[3 * pitch + j] = point.w;
#endif
}

__device__ float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__device__ float dot3(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ float interaction(float4 target, float4 point) {
#if TIGHT
  const float4 away = target - point;
  const float square = dot3(away, away);
#else
  const float dx = target.x - point.x;
  const float dy = target.y - point.y;
  const float dz = target.z - point.z;
  const float square = dx * dx + dy * dy + dz * dz;
#endif
#if RSQRT
  return point.w * rsqrtf(square);
#else
  return point.w / sqrtf(square);
#endif
}

#if PREFETCH
#define ADD_ALL(LOAD, begin, end)                                              \
  {                                                                            \
    float4 next = LOAD(begin);                                                 \
    for (unsigned int j = begin; j < end; ++j) {                               \
      const float4 point = next;                                               \
      next = LOAD(j + 1);                                                      \
      for (int u = 0; u < UJAM; ++u) sum[u] += interaction(target[u], point); \
    }                                                                          \
  }
#else
#define ADD_ALL(LOAD, begin, end)                                              \
  for (unsigned int j = begin; j < end; ++j) {                                 \
    const float4 point = LOAD(j);                                              \
    for (int u = 0; u < UJAM; ++u) sum[u] += interaction(target[u], point);   \
  }
#endif
#define FROM_GLOBAL(j) source_at(source, sources, j)
#define FROM_TILE(j) tile_at(tile, pitch, j)

__global__ void fmm_ulist(const unsigned int* target_begin, const unsigned int* target_count,
                          const unsigned int* source_begin, const unsigned int* source_count,
                          const unsigned int* list_begin, const unsigned int* list_count, const unsigned int* list,
                          const float* targets, const float* source, float* potential, unsigned int all_targets,
                          unsigned int sources) {
  const unsigned int box = blockIdx.x;
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const unsigned int begin = target_begin[box];
  const unsigned int count = target_count[box];
  const unsigned int list_first = list_begin[box];
  const unsigned int list_end = list_first + list_count[box];
#if SHMEM
  __shared__ float4 tiles[ITEMS + 1];
  float* const tile = reinterpret_cast<float*>(tiles);
  const unsigned int pitch = items + 1;
#endif
  for (unsigned int first = 0; first < count; first += UJAM * items) {
    float4 target[UJAM];
    float sum[UJAM];
    for (int u = 0; u < UJAM; ++u) {
      const unsigned int t = begin + min(first + u * items + local_id, count - 1);
      target[u] = make_float4(targets[t], targets[all_targets + t], targets[2 * all_targets + t], 0.0f);
      sum[u] = 0.0f;
    }
    for (unsigned int entry = list_first; entry < list_end; ++entry) {
      const unsigned int other = list[entry];
      unsigned int next_source = source_begin[other];
      const unsigned int source_end = next_source + source_count[other];
#if SHMEM
      for (; next_source + items <= source_end; next_source += items) {
        __syncthreads();
        put_tile(tile, pitch, local_id, source_at(source, sources, next_source + local_id));
        __syncthreads();
        ADD_ALL(FROM_TILE, 0, items)
      }
#endif
      ADD_ALL(FROM_GLOBAL, next_source, source_end)
    }
    for (int u = 0; u < UJAM; ++u) {
      const unsigned int t = first + u * items + local_id;
      if (t < count) potential[begin + t] = sum[u];
    }
  }
}
