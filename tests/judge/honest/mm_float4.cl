// Honest: four elements of a row for each work-item, as vectors; a quarter of the work-items.
kernel void mm(global const float* A, global const float4* B, global float4* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (uint k = 0; k < width; ++k) sum += A[y * width + k] * B[k * width / 4 + x];
  C[y * width / 4 + x] = sum;
}
