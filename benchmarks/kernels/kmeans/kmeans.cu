// The assignment step of k-means: kmeans.cl in CUDA.
#include <cuda_runtime.h>

__global__ void kmeans(const float* point, const float* centre, unsigned int* membership, unsigned int features,
                       unsigned int centres) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int nearest = 0;
  float least = 3.402823466e+38f;
  for (unsigned int c = 0; c < centres; ++c) {
    float distance = 0.0f;
    for (unsigned int f = 0; f < features; ++f) {
      const float difference = point[i * features + f] - centre[c * features + f];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[i] = nearest;
}
