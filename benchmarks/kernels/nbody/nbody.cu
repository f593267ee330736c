// All-pairs gravitation with tiles in shared memory: nbody.cl in CUDA.
#include <cuda_runtime.h>

__global__ void nbody(const float4* body, float4* acceleration, unsigned int bodies, float softening) {
  extern __shared__ float4 tile[];
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const float4 me = body[i];
  float ax = 0.0f;
  float ay = 0.0f;
  float az = 0.0f;
  for (unsigned int first = 0; first < bodies; first += items) {
    tile[local_id] = body[first + local_id];
    __syncthreads();
    for (unsigned int j = 0; j < items; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x;
      const float dy = other.y - me.y;
      const float dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float strength = other.w * inverse * inverse * inverse;
      ax += dx * strength;
      ay += dy * strength;
      az += dz * strength;
    }
    __syncthreads();
  }
  acceleration[i] = make_float4(ax, ay, az, 0.0f);
}
