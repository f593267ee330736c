// A parameter whose address is taken.
struct Numbers {
  int of[16];
};

extern "C" __global__ void picked(const __grid_constant__ Numbers numbers, int* out) {
  const int* p = numbers.of;
  asm volatile("" : "+l"(p));
  out[threadIdx.x] = p[threadIdx.x * 5 % 16];
}
