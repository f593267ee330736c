// Work-groups and warps that wait for each other, and such as wait for ever.
using u32 = unsigned;
using u64 = unsigned long long;

constexpr u32 kSum = 1, kPrefix = 2;  // what a tile has made known, in the upper half of its word; 0: nothing yet
__device__ u64 known(u32 what, u32 value) {
  return static_cast<u64>(what) << 32 | value;
}

/// An inclusive scan with decoupled look-back (Merrill and Garland, NVR-2016-002). `reversed`: the first work-group has the last tile, so it
/// waits for all others.
extern "C" __global__ void look_back_scan(const u32* in, u32* out, volatile u64* state, u32 reversed) {
  __shared__ u32 sums[4], before;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 tile = reversed ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  u32 x = in[tile * blockDim.x + threadIdx.x];
  for (u32 by = 1; by < 32; by *= 2) {
    const u32 y = __shfl_up_sync(~0u, x, by);
    if (lane >= by) x += y;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  u32 total = 0;
  for (u32 w = 0; w < 4; ++w) {
    if (w < warp) x += sums[w];
    total += sums[w];
  }
  if (warp == 0) {
    if (lane == 0) state[tile] = known(tile == 0 ? kPrefix : kSum, total);
    u32 prefix = 0;
    for (int last = static_cast<int>(tile) - 1; last >= 0; last -= 32) {
      const int mine = last - static_cast<int>(lane);
      u64 word;
      do {
        word = mine >= 0 ? state[mine] : known(kPrefix, 0);
      } while (__any_sync(~0u, word >> 32 == 0));
      const u32 prefixes = __ballot_sync(~0u, word >> 32 == kPrefix);
      const u32 end = prefixes != 0 ? __ffs(prefixes) - 1 : 31;
      u32 part = lane <= end ? static_cast<u32>(word) : 0;
      for (u32 by = 16; by != 0; by /= 2) part += __shfl_xor_sync(~0u, part, by);
      prefix += part;
      if (prefixes != 0) break;
    }
    if (lane == 0) {
      state[tile] = known(kPrefix, prefix + total);
      before = prefix;
    }
  }
  __syncthreads();
  out[tile * blockDim.x + threadIdx.x] = before + x;
}

/// Rounds between which all work-groups wait at a counter. `absent`: so many of them leave before.
extern "C" __global__ void grid_barrier(u32* even, u32* odd, u32* arrived, u32 rounds, u32 absent) {
  const u32 count = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x < absent) return;
  for (u32 round = 0; round < rounds; ++round) {
    const u32* from = round % 2 != 0 ? odd : even;
    u32* to = round % 2 != 0 ? even : odd;
    to[i] = 3 * __ldcg(&from[(i + 1) % count]) + __ldcg(&from[(i + blockDim.x) % count]);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1);
      while (*static_cast<volatile u32*>(arrived) < (round + 1) * gridDim.x)
        ;
      __threadfence();
    }
    __syncthreads();
  }
}

/// Every second warp fills a box that the next one empties; two boxes, four named barriers each pair.
extern "C" __global__ void pipeline(const u32* in, u32* out, u32 tiles) {
  __shared__ u32 boxes[2][2][32];
  const u32 lane = threadIdx.x % 32, pair = threadIdx.x / 64, first = 1 + 4 * pair;
  const bool produces = threadIdx.x / 32 % 2 == 0;
  const u32 base = (blockIdx.x * blockDim.x / 64 + pair) * tiles * 32;
  for (u32 tile = 0; tile < tiles; ++tile) {
    const u32 full = first + tile % 2, empty = first + 2 + tile % 2;
    u32* box = boxes[pair][tile % 2];
    if (produces) {
      if (tile >= 2) asm volatile("bar.sync %0, 64;" ::"r"(empty) : "memory");
      box[lane] = in[base + tile * 32 + lane] * 7 + 1;
      asm volatile("bar.arrive %0, 64;" ::"r"(full) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(full) : "memory");
      out[base + tile * 32 + lane] = box[31 - lane];
      if (tile + 2 < tiles) asm volatile("bar.arrive %0, 64;" ::"r"(empty) : "memory");
    }
  }
}

/// One warp fills a ring in shared memory, three take from it, in loops without barriers: whoever takes a number has that tile.
extern "C" __global__ void ring(const u32* in, u32* out, u32 tiles) {
  __shared__ volatile u32 slots[4][32], filled, emptied;
  __shared__ u32 tickets;
  const u32 lane = threadIdx.x % 32;
  if (threadIdx.x == 0) filled = emptied = tickets = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    for (u32 tile = 0; tile < tiles; ++tile) {
      while (emptied + 4 <= tile)
        ;
      slots[tile % 4][lane] = in[tile * 32 + lane] ^ tile;
      __threadfence_block();
      __syncwarp();
      if (lane == 0) filled = tile + 1;
    }
    return;
  }
  while (true) {
    u32 tile = lane == 0 ? atomicAdd(&tickets, 1) : 0;
    tile = __shfl_sync(~0u, tile, 0);
    if (tile >= tiles) return;
    while (filled <= tile)
      ;
    out[tile * 32 + lane] = slots[tile % 4][31 - lane];
    __threadfence_block();
    __syncwarp();
    if (lane == 0) {
      while (emptied != tile)
        ;
      emptied = tile + 1;
    }
    __syncwarp();
  }
}

/// kind 0: warps wait at different barriers; 1: for a number that nobody writes; 2: for a lock that the same thread has; 3: a loop without an end
extern "C" __global__ void deadlock(u32* words, u32 kind) {
  if (kind == 0) {
    if (threadIdx.x < 32)
      asm volatile("bar.sync 1, 64;" ::: "memory");
    else
      asm volatile("bar.sync 2, 64;" ::: "memory");
  }
  if (kind == 1 && threadIdx.x == 0)
    while (*static_cast<volatile u32*>(words) == 0)
      ;
  if (kind == 2 && threadIdx.x == 0)
    for (u32 times = 0; times < 2; ++times)
      while (atomicCAS(words, 0u, 1u) != 0)
        ;
  if (kind == 3)
    for (u32 x = threadIdx.x; x != 1; x = x * 2 + 2) words[1] = x;
  __syncthreads();
  words[2] = 1;
}
