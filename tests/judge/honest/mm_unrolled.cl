// Honest: eight terms at a time, in four sums.
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float4 sum = 0;
  for (uint k = 0; k < width; k += 8) {
    for (uint j = 0; j < 8; j += 4)
      sum +=
          vload4(0, A + y * width + k + j) * (float4)(B[(k + j) * width + x], B[(k + j + 1) * width + x],
                                                      B[(k + j + 2) * width + x], B[(k + j + 3) * width + x]);
  }
  C[y * width + x] = (sum.x + sum.y) + (sum.z + sum.w);
}
