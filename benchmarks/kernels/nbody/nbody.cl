// All-pairs gravitation: tiles of bodies go through local memory. x, y, z and mass are one float4.
__kernel void nbody(__global const float4* body, __global float4* acceleration, __local float4* tile, uint bodies,
                    float softening) {
  const uint i = get_global_id(0);
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  const float4 me = body[i];
  float ax = 0.0f;
  float ay = 0.0f;
  float az = 0.0f;
  for (uint first = 0; first < bodies; first += items) {
    tile[local_id] = body[first + local_id];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < items; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x;
      const float dy = other.y - me.y;
      const float dz = other.z - me.z;
      const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
      const float strength = other.w * inverse * inverse * inverse;
      ax += dx * strength;
      ay += dy * strength;
      az += dz * strength;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acceleration[i] = (float4)(ax, ay, az, 0.0f);
}
