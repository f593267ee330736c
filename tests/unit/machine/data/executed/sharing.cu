// Work-groups whose accesses are in a list: loads, stores and reductions of words that others may access, too.
using u32 = unsigned;
using u64 = unsigned long long;

struct Step {
  u32 kind, place, stride, value;
};

extern "C" __global__ void steps(const Step* list, u32 count, u32* memory, float* reals, u32* out) {
  u32 held = blockIdx.x;
  for (u32 i = 0; i < count; ++i) {
    const Step step = list[blockIdx.x * count + i];
    const u32 at = step.place + threadIdx.x * step.stride;
    switch (step.kind) {
      case 0: held = held * 31 + memory[at]; break;
      case 1: memory[at] = held + step.value; break;
      case 2: reinterpret_cast<unsigned char*>(memory + at)[step.value & 3] = static_cast<unsigned char>(held); break;
      case 3: atomicAdd(&memory[at], step.value); break;
      case 4: atomicMax(&memory[at], step.value + threadIdx.x); break;
      case 5: atomicXor(&memory[at], step.value); break;
      case 6: atomicAdd(&reals[at], static_cast<float>(step.value * step.value * step.value)); break;
      case 7: held = held * 31 + __float_as_uint(reals[at]); break;
      case 8: reinterpret_cast<u64*>(memory)[at / 2] = held + (static_cast<u64>(step.value) << 32); break;
      default: atomicAdd(&reinterpret_cast<u64*>(memory)[at / 2], static_cast<u64>(step.value) << 20); break;
    }
    __syncwarp();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = held;
}
