// Inner loop of the all-pairs n-body problem, tile of positions in local memory.
kernel void nbody(global const float4* position, global float4* velocity, local float4* tile, int n, float dt) {
  const int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  const float4 p = position[i];
  float ax = 0, ay = 0, az = 0;
  for (int base = 0; base < n; base += size) {
    tile[l] = position[base + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < size; ++j) {
      const float dx = tile[j].x - p.x, dy = tile[j].y - p.y, dz = tile[j].z - p.z;
      const float r = native_rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = tile[j].w * r * r * r;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  velocity[i] += (float4)(ax, ay, az, 0) * dt;
}
