// Predecessor search in sorted keys in shared memory, three ways: search_shared.cl in CUDA.
#include <cuda_runtime.h>

#define PLAIN 0
#define CONFLICT_FREE 1
#define CONFLICT_LOW 2
#define WIDTH 32
#define ROWS ((KEYS + WIDTH - 1) / WIDTH)
#define WHOLE ((KEYS & (KEYS - 1)) == 0)

__global__ void search_shared(const unsigned int* keys, const unsigned int* query, unsigned int* found,
                              unsigned int per_item) {
  __shared__ unsigned int key[ROWS * WIDTH];
  const unsigned int local_id = threadIdx.x;
#if VARIANT != PLAIN
  const unsigned int lane = local_id % WIDTH;
#endif
  for (unsigned int k = local_id; k < KEYS; k += blockDim.x) key[k] = keys[k];
  __syncthreads();
  for (unsigned int k = 0; k < per_item; ++k) {
    const unsigned int place = k * gridDim.x * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int q = query[place];
    unsigned int count;
#if VARIANT == PLAIN
    unsigned int index = KEYS / 2;
    unsigned int step = (KEYS + 3) / 4;
    for (unsigned int width = 1; width < KEYS; width *= 2) {
      if (q >= key[index])
        index = min(index + step, (unsigned int)(KEYS - 1));
      else
        index = index > step ? index - step : 0;
      step = (step + 1) / 2;
    }
    count = index + (q >= key[index] ? 1 : 0);
#else
    unsigned int rows = 0;
    unsigned int step = 1;
    while (step * 2 < ROWS) step *= 2;
    for (unsigned int width = 1; width <= ROWS; width *= 2) {
      const unsigned int at = (rows + step - 1) * WIDTH + lane;
      const bool is_key = WHOLE || at < KEYS;
      const bool is_below = key[is_key ? at : lane] <= q;
      if (is_key & is_below) rows += step;
      step = (step + 1) / 2;
    }
    const int above = (int)(rows * WIDTH + lane) - WIDTH;
#if VARIANT == CONFLICT_FREE
    count = 0;
    for (int k = 1; k < WIDTH; ++k) {
      const int at = above + k;
      const bool is_below = key[(at + ROWS * WIDTH) % (ROWS * WIDTH)] <= q;
      count += (at < 0) | ((at < KEYS) & is_below);
    }
    count += above + 1;
#else
    int last = above;
    for (int step = WIDTH / 2; step > 0; step /= 2) {
      const int at = last + step;
      const bool is_below = key[(at + ROWS * WIDTH) % (ROWS * WIDTH)] <= q;
      last = (at < 0) | ((at < KEYS) & is_below) ? at : last;
    }
    count = last + 1;
#endif
#endif
    found[place] = count;
  }
}
