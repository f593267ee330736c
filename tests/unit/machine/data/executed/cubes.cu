// Fetches from cube textures: `at` is a direction, and the number of a cube.
extern "C" __global__ void cube(cudaTextureObject_t t, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = texCubemap<float>(t, at[i].x, at[i].y, at[i].z);
}
extern "C" __global__ void cube_of(cudaTextureObject_t t, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = texCubemapLayered<float>(t, at[i].x, at[i].y, at[i].z, static_cast<int>(at[i].w));
}
