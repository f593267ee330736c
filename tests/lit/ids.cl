// Ids fit in 31 bits, so a constant that is added to one belongs to the access: a row takes one address. As 64-bit truncations each of
// the eight columns takes two registers of its own, in all eight rows.
// RUN: %compile %s -o %t | %check %s
// CHECK: kernel local_ids, registers about {{[0-9]}},
// CHECK: kernel global_ids, registers about {{[0-9]}},
kernel void local_ids(global float *restrict out) {
  local float tile[64][64];
  const int x = get_local_id(0), y = get_local_id(1);
  tile[y][x] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sum = sum * 0.5f + tile[y + j][x + i];
  out[y * 64 + x] = sum;
}
kernel void global_ids(global float *restrict out, global const float *restrict in) {
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 8; ++j)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sum = sum * 0.5f + in[(y + j) * 4096 + (x + i)];
  out[y * 4096 + x] = sum;
}
