// The smallest kernel: one store.
extern "C" __global__ void tiny(int* out) { *out = 42; }
