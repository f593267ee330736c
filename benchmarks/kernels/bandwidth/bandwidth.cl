// Reads an array in loads of 16 bytes, from end to end, however few work-items there are.
__kernel void bandwidth(__global const float4* in, __global float* out, uint vectors) {
  float sum = 0.0f;
  for (uint k = get_global_id(0); k < vectors; k += get_global_size(0)) {
    const float4 value = in[k];
    sum += value.x + value.y + value.z + value.w;
  }
  out[get_global_id(0)] = sum;
}
