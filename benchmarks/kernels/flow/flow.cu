// Control flow that loop counters cannot describe: flow.cl in CUDA.
#include <cuda_runtime.h>

__global__ void flow(const unsigned int* in, unsigned int* out, unsigned int rounds) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const size_t items = (size_t)gridDim.x * blockDim.x;
  unsigned int value = in[i];
  if (value % 11 == 3) {
    out[i] = 7;
    return;
  }

  unsigned int found = 0;
  for (unsigned int a = 0; a < rounds; ++a) {
    for (unsigned int b = 0; b <= a; ++b) {
      found = in[(i + a * 5 + b) % items];
      if (found % 13 == 0) goto leave;
      value += found;
    }
  }
leave:

  switch (value % 5) {
    case 0: value += in[(i + 1) % items];  // falls through
    case 1: value ^= in[(i + 2) % items]; break;
    case 2: value += 17;  // falls through
    case 3: value *= 3; break;
    default: value -= found;
  }

  unsigned int turns = 0;
  if (value % 2 == 0) goto middle;
top:
  value += in[(value + turns) % items];
middle:
  ++turns;
  value ^= turns << 3;
  if (turns < rounds && value % 7 != 0) goto top;
  out[i] = value;
}
