// Work-groups read a region of their own again and again.
__kernel void working_set(__global const float* in, __global float* out, uint words, uint rounds) {
  const uint local_id = get_local_id(0);
  __global const float* const mine = in + get_group_id(0) * words;
  float sum = 0.0f;
  for (uint round = 0; round < rounds; ++round)
    for (uint j = local_id; j < words; j += get_local_size(0)) sum += mine[j] * (round + 1);
  out[get_global_id(0)] = sum;
}
