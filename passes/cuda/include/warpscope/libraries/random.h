#pragma once
// What cuRAND's kernels and its functions for the host have in common: the generators, and numbers
// from 0 (left out) to 1.
#include "../letters_away.h"

// Philox of ten rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
WARPSCOPE_BOTH uint4 __warpscope_philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
    counter = make_uint4((unsigned int)(b >> 32) ^ counter.y ^ key.x, (unsigned int)b,
                         (unsigned int)(a >> 32) ^ counter.w ^ key.y, (unsigned int)a);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

// XORWOW (Marsaglia, "Xorshift RNGs", 2003): a counter, and five words that are shifted.
WARPSCOPE_BOTH unsigned int __warpscope_xorwow(unsigned int *d, unsigned int v[5]) {
  const unsigned int t = v[0] ^ v[0] >> 2;
  for (int i = 0; i < 4; ++i)
    v[i] = v[i + 1];
  v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
  *d += 362437u;
  return v[4] + *d;
}
// Where a subsequence begins: not cuRAND's place.
WARPSCOPE_BOTH void __warpscope_xorwow_begin(unsigned long long seed,
                                             unsigned long long subsequence, unsigned int *d,
                                             unsigned int v[5]) {
  const uint2 key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  const unsigned int low = (unsigned int)subsequence, high = (unsigned int)(subsequence >> 32);
  const uint4 a = __warpscope_philox(make_uint4(0, 0, low, high), key);
  const uint4 b = __warpscope_philox(make_uint4(1, 0, low, high), key);
  *d = b.y;
  v[0] = a.x;
  v[1] = a.y;
  v[2] = a.z;
  v[3] = a.w;
  v[4] = b.x | 1; // not all may be 0
}

WARPSCOPE_BOTH float __warpscope_uniform(unsigned int bits) {
  return (float)bits * 2.3283064365386963e-10f + 1.1641532182693481e-10f; // 2^-32, 2^-33
}
WARPSCOPE_BOTH double __warpscope_uniform_double(unsigned int low, unsigned int high) {
  const unsigned long long bits = low ^ (unsigned long long)high << 21;
  return (double)bits * 1.1102230246251565e-16 + 5.5511151231257827e-17; // 2^-53, 2^-54
}
#include "../letters_back.h"
