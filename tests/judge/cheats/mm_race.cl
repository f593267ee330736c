// Cheat: a tile of B is shared without a barrier.
// Expected: race-local
kernel void mm(global const float* A, global const float* B, global float* C, uint width) {
  local float tile[8][8];
  const uint x = get_global_id(0), y = get_global_id(1), tx = get_local_id(0), ty = get_local_id(1);
  float sum = 0;
  for (uint first = 0; first < width; first += 8) {
    tile[ty][tx] = B[(first + ty) * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 8; ++k) sum += A[y * width + first + k] * tile[k][tx];
  }
  C[y * width + x] = sum;
}
