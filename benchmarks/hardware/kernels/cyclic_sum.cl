// A work-group reads `count` elements again and again, all of its work-items together: the kernel of v100_working_set.csv.
__kernel void cyclic_sum(__global const float *data, __global float *out, uint count, uint rounds) {
  float sum = 0.0f;
  for (uint round = 0; round < rounds; ++round) {
    for (uint i = get_local_id(0); i < count; i += get_local_size(0)) sum += data[i];
    sum *= 1.3f;
  }
  if (sum == 1233.0f) out[get_local_id(0)] = sum;
}
