#pragma once
// cuRAND's generators for kernels. Philox gives the numbers of the published generator (Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", 2011), counted as cuRAND counts them. XORWOW
// is Marsaglia's ("Xorshift RNGs", 2003), but each subsequence begins at a place of its own that is
// not cuRAND's, so the numbers differ from a GPU's. States are as large as cuRAND's, because
// kernels keep them in memory.
#include "curand.h"
#include "warpscope/letters_away.h"
#include "warpscope/libraries/random.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int has_normal, has_normal_double;
  float normal;
  double normal_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

struct __align__(16) curandStatePhilox4_32_10 {
  uint4 counter, output;
  uint2 key;
  unsigned int used; // of the four numbers in `output`
  int has_normal, has_normal_double;
  float normal;
  double normal_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// --- Philox ---

// The lower two words count fours of numbers, the upper two are the subsequence.
WARPSCOPE_DEVICE void skipahead(unsigned long long count, curandStatePhilox4_32_10_t *state) {
  const unsigned long long numbers = state->used + count;
  const unsigned long long fours =
      (state->counter.x | (unsigned long long)state->counter.y << 32) + numbers / 4;
  state->counter.z += fours < numbers / 4;
  state->counter.x = (unsigned int)fours;
  state->counter.y = (unsigned int)(fours >> 32);
  state->used = (unsigned int)(numbers % 4);
  state->output = __warpscope_philox(state->counter, state->key);
}
WARPSCOPE_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStatePhilox4_32_10_t *state) {
  *state = {};
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  state->counter = make_uint4(0, 0, (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
  skipahead(offset, state);
}
WARPSCOPE_DEVICE unsigned int curand(curandStatePhilox4_32_10_t *state) {
  const uint4 four = state->output;
  const unsigned int at = state->used;
  const unsigned int result = at == 0 ? four.x : at == 1 ? four.y : at == 2 ? four.z : four.w;
  skipahead(1, state);
  return result;
}
WARPSCOPE_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *state) {
  const unsigned int x = curand(state), y = curand(state), z = curand(state);
  return make_uint4(x, y, z, curand(state));
}

// --- XORWOW ---

WARPSCOPE_DEVICE unsigned int curand(curandStateXORWOW *state) {
  return __warpscope_xorwow(&state->d, state->v);
}
WARPSCOPE_DEVICE void skipahead(unsigned long long count, curandStateXORWOW *state) {
  for (unsigned long long i = 0; i < count; ++i)
    curand(state);
}
WARPSCOPE_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                                  unsigned long long offset, curandStateXORWOW *state) {
  *state = {};
  __warpscope_xorwow_begin(seed, subsequence, &state->d, state->v);
  skipahead(offset, state);
}

// --- numbers of other kinds, from 0 (left out) to 1 as cuRAND has them ---

template <class State> WARPSCOPE_DEVICE float curand_uniform(State *state) {
  return __warpscope_uniform(curand(state));
}
template <class State> WARPSCOPE_DEVICE double curand_uniform_double(State *state) {
  const unsigned int low = curand(state);
  return __warpscope_uniform_double(low, curand(state));
}
WARPSCOPE_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  const uint4 bits = curand4(state);
  return make_float4(__warpscope_uniform(bits.x), __warpscope_uniform(bits.y),
                     __warpscope_uniform(bits.z), __warpscope_uniform(bits.w));
}
// Box and Muller's two at a time.
template <class State> WARPSCOPE_DEVICE float2 curand_normal2(State *state) {
  const float u = curand_uniform(state), angle = 6.2831853f * curand_uniform(state);
  const float radius = sqrtf(-2.0f * logf(u));
  return make_float2(radius * sinf(angle), radius * cosf(angle));
}
template <class State> WARPSCOPE_DEVICE double2 curand_normal2_double(State *state) {
  const double u = curand_uniform_double(state);
  const double angle = 6.283185307179586 * curand_uniform_double(state);
  const double radius = sqrt(-2.0 * log(u));
  return make_double2(radius * sin(angle), radius * cos(angle));
}
template <class State> WARPSCOPE_DEVICE float curand_normal(State *state) {
  if (state->has_normal) {
    state->has_normal = 0;
    return state->normal;
  }
  const float2 both = curand_normal2(state);
  state->has_normal = 1;
  state->normal = both.y;
  return both.x;
}
template <class State> WARPSCOPE_DEVICE double curand_normal_double(State *state) {
  if (state->has_normal_double) {
    state->has_normal_double = 0;
    return state->normal_double;
  }
  const double2 both = curand_normal2_double(state);
  state->has_normal_double = 1;
  state->normal_double = both.y;
  return both.x;
}
WARPSCOPE_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  const float2 a = curand_normal2(state), b = curand_normal2(state);
  return make_float4(a.x, a.y, b.x, b.y);
}
template <class State>
WARPSCOPE_DEVICE float curand_log_normal(State *state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
// Knuth's product of uniform numbers, in steps that a float can hold.
template <class State> WARPSCOPE_DEVICE unsigned int curand_poisson(State *state, double lambda) {
  unsigned int count = 0;
  double left = lambda, product = 1;
  while (true) {
    product *= curand_uniform_double(state);
    while (product < 1 && left > 0) {
      const double step = left < 500 ? left : 500;
      product *= exp(step);
      left -= step;
    }
    if (product <= 1)
      return count;
    ++count;
  }
}
#include "warpscope/letters_back.h"
