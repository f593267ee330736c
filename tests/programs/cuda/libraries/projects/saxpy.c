// A program in C that only calls libraries.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <stdio.h>

int main(void) {
  const float two = 2, x = 5;
  float y = 2, *device_x, *device_y, number = -1;
  cublasHandle_t handle;
  curandGenerator_t generator;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  if (curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) != CURAND_STATUS_SUCCESS) return 2;
  cudaMalloc((void**)&device_x, sizeof(float));
  cudaMalloc((void**)&device_y, sizeof(float));
  cublasSetVector(1, sizeof(float), &x, 1, device_x, 1);
  cublasSetVector(1, sizeof(float), &y, 1, device_y, 1);
  if (cublasSaxpy(handle, 1, &two, device_x, 1, device_y, 1) != CUBLAS_STATUS_SUCCESS) return 3;
  cublasGetVector(1, sizeof(float), device_y, 1, &y, 1);
  if (curandGenerateUniform(generator, device_x, 1) != CURAND_STATUS_SUCCESS) return 4;
  cudaMemcpy(&number, device_x, sizeof(float), cudaMemcpyDeviceToHost);
  cufftHandle plan;
  if (cufftPlan1d(&plan, 1, CUFFT_C2C, 1) != CUFFT_SUCCESS || cufftDestroy(plan) != CUFFT_SUCCESS) return 5;
  printf("y = %g, %s\n", y, number > 0 && number <= 1 ? "a number was made" : "no number");
  curandDestroyGenerator(generator);
  return cublasDestroy(handle) != CUBLAS_STATUS_SUCCESS;
}
