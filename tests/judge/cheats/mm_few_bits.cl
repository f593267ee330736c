// Cheat: numbers are cut to the bits of half precision.
// Expected: wrong-value
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < width; ++k)
    sum +=
        as_float(as_uint(A[y * width + k]) & 0xffffe000) * as_float(as_uint(B[k * width + x]) & 0xffffe000);
  C[y * width + x] = sum;
}
