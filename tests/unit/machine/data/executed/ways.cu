// Every way that a program counter has: a table of jumps, a loop that lanes leave at different times, a function that calls itself, and
// ptxas's own function for a division.
__device__ __noinline__ unsigned fib(unsigned n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

extern "C" __global__ void ways(const unsigned *in, unsigned *out, unsigned deep) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, value = in[t];
  unsigned sum = 0;
  switch (value % 9) {
    case 0: sum = value * 3; break;
    case 1: sum = value ^ 0x55; break;
    case 2: sum = in[t ^ 1] + 1; break;
    case 3: sum = value >> 2;
    case 4: sum += 7; break;
    case 5: sum = __popc(value); break;
    case 6: sum = value * value; break;
    case 7: sum = in[t ^ 2] - value; break;
  }
#pragma unroll 1
  for (unsigned k = 0; k < value % 7; ++k) {
    if ((sum & 31) == 5) break;
    sum = sum * 5 + k;
  }
  sum += static_cast<unsigned>((static_cast<unsigned long long>(value) << 33 | t) / (t + 3ull));
  out[t] = sum + fib(deep + t % 3);
}
