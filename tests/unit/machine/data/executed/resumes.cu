// A barrier in shared memory that is made again as soon as one warp knows that its phase is over. The others were suspended until then, and go on.
#include <cstdint>

__device__ std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

__device__ void make(const std::uint64_t* barrier, std::uint32_t count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ std::uint64_t arrive(const std::uint64_t* barrier) {
  std::uint64_t token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(barrier)) : "memory");
  return token;
}

template <bool kSuspends>
__device__ bool is_over(const std::uint64_t* barrier, std::uint64_t token) {
  std::uint32_t over;
  if (kSuspends)
    asm volatile("{.reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(over)
                 : "r"(shared_address(barrier)), "l"(token)
                 : "memory");
  else
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(over)
                 : "r"(shared_address(barrier)), "l"(token)
                 : "memory");
  return over != 0;
}

template <bool kSuspends>
__device__ void meet_again_and_again(std::uint32_t* out, std::uint32_t rounds) {
  __shared__ std::uint64_t barrier;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) make(&barrier, blockDim.x);
    __syncthreads();
    const std::uint64_t token = arrive(&barrier);
    while (!is_over<kSuspends>(&barrier, token)) {
    }
    out[threadIdx.x] += round + 1;
  }
}

extern "C" __global__ void suspended(std::uint32_t* out, std::uint32_t rounds) {
  meet_again_and_again<true>(out, rounds);
}

extern "C" __global__ void tested(std::uint32_t* out, std::uint32_t rounds) {
  meet_again_and_again<false>(out, rounds);
}

// The first warp alone arrives, and is a phase ahead of the second one, which only looks, and has to see each phase end, not the one before the last.
extern "C" __global__ void followed(std::uint32_t* out, std::uint32_t phases) {
  __shared__ std::uint64_t barrier, seen;
  if (threadIdx.x == 0) {
    make(&barrier, 1);
    make(&seen, 1);
  }
  __syncthreads();
  std::uint32_t count = 0;
  if (threadIdx.x < 32) {
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
      if (threadIdx.x == 0) {
        const std::uint64_t token = arrive(&barrier);
        ++count;
        while (!is_over<true>(&barrier, token)) {
        }
        std::uint32_t over = 0;
        while (over == 0)
          asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                       : "=r"(over)
                       : "r"(shared_address(&seen)), "r"(phase & 1)
                       : "memory");
      }
    }
  } else if (threadIdx.x == 32) {
    for (std::uint32_t phase = 0; phase < phases; ++phase) {
      std::uint32_t over = 0;
      while (over == 0)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over)
                     : "r"(shared_address(&barrier)), "r"(phase & 1)
                     : "memory");
      ++count;
      arrive(&seen);
    }
  }
  out[threadIdx.x] = count;
}
