// Loads places of a buffer of zeros in turn: probe.cl in CUDA.
#include <cuda_runtime.h>

__global__ void probe(const unsigned int* zeros, unsigned int* end, unsigned int mask, unsigned int step,
                      unsigned int places, unsigned int rounds, unsigned int hot) {
  unsigned int last = 0;
  for (unsigned int round = 0; round < rounds; ++round) {
    unsigned int place = last;
    unsigned int left = hot + hot / 2;
    for (unsigned int number = 0; number < places; ++number) {
      last = zeros[place];
      place = ((place | ~mask) + step + last) & mask;
      if (hot == 0 || --left != 0) continue;
      left = hot / 2;
      unsigned int again = last;
      for (unsigned int i = 0; i < hot; ++i) {
        last = zeros[again];
        again = ((again | ~mask) + step + last) & mask;
      }
    }
  }
  end[blockIdx.x * blockDim.x + threadIdx.x] = last;
}
