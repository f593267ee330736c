// The probe side of a hash join: hash_join.cl in CUDA.
#include <cuda_runtime.h>

__global__ void hash_join(const unsigned int* key, const uint4* bucket, const unsigned int* payload,
                          unsigned int* matches, unsigned int* sum, unsigned int mask) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int hash = key[i] * 2654435769u;
  const unsigned int place = hash & mask;
  const unsigned int tag = 1 + (hash >> 28);
  const uint4 tags = bucket[place];
  unsigned int count = 0;
  unsigned int total = 0;
  if (tags.x == tag) { ++count; total += payload[4 * place]; }
  if (tags.y == tag) { ++count; total += payload[4 * place + 1]; }
  if (tags.z == tag) { ++count; total += payload[4 * place + 2]; }
  if (tags.w == tag) { ++count; total += payload[4 * place + 3]; }
  matches[i] = count;
  sum[i] = total;
}
