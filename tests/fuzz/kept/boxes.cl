// launches: k0 512 1 64 1 500; k1 32 16 8 8 30; k2 384 1 64 1 24; k3 256 1 64 1 5; k4 256 1 32 1 200; k5 128 1 32 1 3; k6 128 1 64 1 7; k7 96 1 32 1 2; k8 64 1 16 1 9; k9 256 1 64 1 40; k10 512 1 64 1 1; k11 64 4 16 2 6; k12 64 8 16 4 11; k13 128 1 32 1 77; k14 128 64 8 8 127
// Addresses and branches from the arguments and the work-item's number alone, in the ways that kernels compute them: what is
// recorded in boxes of work-items (passes/README.md, "Boxes") gives the capture that recording them one by one gives.
#define ARGUMENTS __global const uchar *restrict in, __global ulong *out, volatile __global uint *sums, __local uint *scratch, const uint n
#define WORDS ((__global const uint *)in)

// A guard that cuts the last work-group.
__kernel void k0(ARGUMENTS) {
  const uint i = get_global_id(0);
  if (i < n) out[i] = WORDS[i] + 1;
}

// A plane without its border.
__kernel void k1(ARGUMENTS) {
  const int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
  if (x < 1 || y < 1 || x > (int)n || y > 14) return;
  out[y * w + x] = WORDS[y * w + x - 1] + WORDS[y * w + x + 1] + WORDS[(y - 1) * w + x] + WORDS[(y + 1) * w + x];
}

// Rows that do not end where work-groups do.
__kernel void k2(ARGUMENTS) {
  const uint i = get_global_id(0), row = i / n, column = i % n;
  out[row * 32 + column] = WORDS[column * 64 + row];
}

// Shifts and masks.
__kernel void k3(ARGUMENTS) {
  const uint l = get_local_id(0), i = get_global_id(0);
  out[(i >> 3) * 16 + (l & 7)] = WORDS[((i << 2) | n % 4) & ~7u];
}

// Clamped neighbours.
__kernel void k4(ARGUMENTS) {
  const int i = get_global_id(0);
  out[i] = WORDS[max(i - 3, 0)] + WORDS[min(i + 3, (int)n)] + WORDS[clamp(i * 2 - 9, 0, 300)];
}

// The first and the last work-item do more.
__kernel void k5(ARGUMENTS) {
  const uint l = get_local_id(0), i = get_global_id(0);
  out[i] = i;
  switch (l) {
  case 0: out[4 * i + 1024] = WORDS[i + n]; break;
  case 31: out[4 * i + 1025] = WORDS[2 * i];
  }
}

// A sum by halves in local memory.
__kernel void k6(ARGUMENTS) {
  const uint l = get_local_id(0);
  scratch[l] = WORDS[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_ = get_local_size(0) / 2; half_ > 0; half_ >>= 1) {
    if (l < half_) scratch[l] += scratch[l + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = scratch[0] + n;
}

// Each work-item makes another number of accesses.
__kernel void k7(ARGUMENTS) {
  const uint l = get_local_id(0);
  ulong sum = 0;
  for (uint k = 0; k <= l; ++k) sum += WORDS[k * n];
  out[get_global_id(0)] = sum;
}

// A private array that stays in memory.
__kernel void k8(ARGUMENTS) {
  uint kept[16];
  for (uint k = 0; k < 16; ++k) kept[k] = k * n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = kept[get_local_id(0)] + kept[(get_local_id(0) + n) % 16];
}

// Unsigned numbers below 0, and a byte of the number.
__kernel void k9(ARGUMENTS) {
  const uint i = get_global_id(0), x = i - n;
  out[i] = x < 100u ? WORDS[x] : 7;
  out[i + 256] = WORDS[(i * 3u - 90u) & 16383u];
}

__kernel void k10(ARGUMENTS) {
  const uchar low = get_global_id(0) * 3;
  const short wide = get_global_id(0) - 40;
  out[get_global_id(0)] = WORDS[low] + in[wide + 40 + n];
}

// Another stride in each iteration.
__kernel void k11(ARGUMENTS) {
  const uint x = get_global_id(0), y = get_global_id(1);
  ulong sum = 0;
  for (uint k = 0; k < n; ++k) sum += WORDS[x * k + y * 64];
  out[y * 64 + x] = sum;
}

// Backwards, through a tile whose rows are padded by nothing.
__kernel void k12(ARGUMENTS) {
  const int x = get_local_id(0), y = get_local_id(1), i = get_global_id(1) * 64 + get_global_id(0);
  scratch[y * 16 + x] = WORDS[511 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = scratch[(3 - y) * 16 + 15 - x] + n;
}

// An atomic, and a loop that ends where the number says.
__kernel void k13(ARGUMENTS) {
  const int i = get_global_id(0);
  atomic_add(&sums[i / 40], 1u);
  int k = 0;
  while (k * 10 < i) ++k;
  out[i] = k + n;
}

// A 5-point step on a plane whose border stays as it is: work-groups at its left, right, top, bottom and corners come in turns.
__kernel void k14(ARGUMENTS) {
  const int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  if (x > 0 && x < (int)n && y > 0 && y < h - 1)
    out[y * w + x] = WORDS[y * w + x] + WORDS[y * w + x - 1] + WORDS[y * w + x + 1] + WORDS[(y - 1) * w + x] + WORDS[(y + 1) * w + x];
}
