// Launches have names: the place where the program launches, and the NVTX ranges that are open.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtx3.hpp>

#include <cstdio>
#include <thread>

__global__ void step(int* p) {
  p[threadIdx.x] += 1;
}

template <class T>
void launch(T* p) {
  step<<<1, 32>>>(p);  // line 14
}

struct my_domain {
  static constexpr char const* name{"io"};
};

int main() {
  int* p;
  cudaMalloc(&p, 32 * sizeof(int));
  cudaMemset(p, 0, 32 * sizeof(int));
  step<<<1, 32>>>(p);  // line 25
  nvtxRangePushA("solver");
  launch(p);
  printf("%d\n", nvtxRangePushA("step 1"));
  step<<<1, 32>>>(
      p);  // it begins on line 29
  nvtxRangePop();
  const nvtxRangeId_t whole = nvtxRangeStartA("whole");
  std::thread([&] { launch(p); }).join();  // no ranges of another thread, but those of the process
  nvtxRangePop();
  {
    nvtx3::scoped_range_in<my_domain> range{"read"};
    launch(p);
  }
  nvtxRangeEnd(whole);
  printf("%d\n", nvtxRangePop() < 0);
  void* arguments[] = {&p};
  cudaLaunchKernel(step, dim3(1), dim3(32), arguments, 0, nullptr);
  int value = 0;
  cudaMemcpy(&value, p, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%d\n", value);
}
