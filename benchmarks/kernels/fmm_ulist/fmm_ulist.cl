// Direct near-field interactions of a fast multipole method: a work-group per box of targets, a list of neighbouring boxes of
// sources for each, every target with every source of its list. All combinations of these optimisations, after Dasgupta:
// CUDA Performance Analyzer, Georgia Tech 2011, chapter 4 (0 = off, 1 = on):
//   SHMEM     sources go through local memory, a tile of one per work-item at a time; what remains is read directly
//   TRANS     with SHMEM: a tile's sources lie one after the other instead of by coordinate
//   UJAM      unroll and jam: targets per work-item that share every load of a source (1, 2, 4)
//   VECPACK   a source is one load of 16 bytes instead of four loads from four arrays
//   RSQRT     reciprocal square root instead of square root and division
//   PREFETCH  the next source is loaded before the present one is used, also one behind the last
//   TIGHT     vector expressions instead of one per coordinate
#if TRANS && !SHMEM
#error "TRANS: expected with SHMEM=1 only"
#endif

float4 source_at(__global const float* source, uint sources, uint j) {
#if VECPACK
  return ((__global const float4*)source)[j];
#else
  return (float4)(source[j], source[sources + j], source[2 * sources + j], source[3 * sources + j]);
#endif
}

float4 tile_at(__local const float* tile, uint pitch, uint j) {
#if TRANS && VECPACK
  return ((__local const float4*)tile)[j];
#elif TRANS
  return (float4)(tile[4 * j], tile[4 * j + 1], tile[4 * j + 2], tile[4 * j + 3]);
#else
  return (float4)(tile[j], tile[pitch + j], tile[2 * pitch + j], tile[3 * pitch + j]);
#endif
}

void put_tile(__local float* tile, uint pitch, uint j, float4 point) {
#if TRANS && VECPACK
  ((__local float4*)tile)[j] = point;
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

float interaction(float4 target, float4 point) {
#if TIGHT
  const float4 away = target - point;
  const float square = dot(away.xyz, away.xyz);
#else
  const float dx = target.x - point.x;
  const float dy = target.y - point.y;
  const float dz = target.z - point.z;
  const float square = dx * dx + dy * dy + dz * dz;
#endif
#if RSQRT
  return point.w * rsqrt(square);
#else
  return point.w / sqrt(square);
#endif
}

// Adds the sources from `begin` to `end` of LOAD(j) to the potentials of this work-item's targets.
#if PREFETCH
#define ADD_ALL(LOAD, begin, end)                                              \
  {                                                                            \
    float4 next = LOAD(begin);                                                 \
    for (uint j = begin; j < end; ++j) {                                       \
      const float4 point = next;                                               \
      next = LOAD(j + 1);                                                      \
      for (int u = 0; u < UJAM; ++u) sum[u] += interaction(target[u], point); \
    }                                                                          \
  }
#else
#define ADD_ALL(LOAD, begin, end)                                              \
  for (uint j = begin; j < end; ++j) {                                         \
    const float4 point = LOAD(j);                                              \
    for (int u = 0; u < UJAM; ++u) sum[u] += interaction(target[u], point);   \
  }
#endif
#define FROM_GLOBAL(j) source_at(source, sources, j)
#define FROM_TILE(j) tile_at(tile, pitch, j)

__kernel void fmm_ulist(
    __global const uint* target_begin, __global const uint* target_count, __global const uint* source_begin,
    __global const uint* source_count, __global const uint* list_begin, __global const uint* list_count,
    __global const uint* list, __global const float* targets, __global const float* source,
    __global float* potential, uint all_targets, uint sources) {
  const uint box = get_group_id(0);
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);  // ITEMS, but tiles stay loops
  const uint begin = target_begin[box];
  const uint count = target_count[box];
  const uint list_first = list_begin[box];
  const uint list_end = list_first + list_count[box];
#if SHMEM
  // One more, because prefetching reads behind the last.
  __local float4 tiles[ITEMS + 1];
  __local float* const tile = (__local float*)tiles;
  const uint pitch = items + 1;
#endif
  for (uint first = 0; first < count; first += UJAM * items) {
    float4 target[UJAM];
    float sum[UJAM];
    for (int u = 0; u < UJAM; ++u) {
      // Work-items without a target go along, for the barriers.
      const uint t = begin + min(first + u * items + local_id, count - 1);
      target[u] = (float4)(targets[t], targets[all_targets + t], targets[2 * all_targets + t], 0.0f);
      sum[u] = 0.0f;
    }
    for (uint entry = list_first; entry < list_end; ++entry) {
      const uint other = list[entry];
      uint next_source = source_begin[other];
      const uint source_end = next_source + source_count[other];
#if SHMEM
      for (; next_source + items <= source_end; next_source += items) {
        barrier(CLK_LOCAL_MEM_FENCE);
        put_tile(tile, pitch, local_id, source_at(source, sources, next_source + local_id));
        barrier(CLK_LOCAL_MEM_FENCE);
        ADD_ALL(FROM_TILE, 0, items)
      }
#endif
      ADD_ALL(FROM_GLOBAL, next_source, source_end)
    }
    for (int u = 0; u < UJAM; ++u) {
      const uint t = first + u * items + local_id;
      if (t < count) potential[begin + t] = sum[u];
    }
  }
}
