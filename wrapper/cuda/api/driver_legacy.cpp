// Launches as the driver API had them before CUDA 4: a function keeps its block, its shared memory and its arguments (CUDA Driver API,
// "Execution Control [DEPRECATED]"). PyCUDA still sets blocks this way.
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/module.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

struct OldLaunch {
  dim3 block{1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<std::uint8_t> arguments;
};

/// Guarded by the registry's lock. Never destroyed: a destructor of the program's may still call.
std::map<const Kernel*, OldLaunch>& old_launches() {
  static auto* const all = new std::map<const Kernel*, OldLaunch>;
  return *all;
}

/// Runs `work` with what the program has set of a function, under the registry's lock.
template <class Work>
CUresult with_old_launch(CUfunction function, const Work& work) {
  return drive([&] {
    return run([&] {
      Registry& registry = Registry::get();
      const std::lock_guard lock(registry.mutex());
      work(old_launches()[&registry.kernel(function)]);
    });
  });
}

CUresult set_argument(CUfunction function, int offset, const void* value, std::size_t bytes) {
  return with_old_launch(function, [&](OldLaunch& kept) {
    require(value != nullptr && offset >= 0);
    const std::size_t end = static_cast<std::size_t>(offset) + bytes;
    if (kept.arguments.size() < end) kept.arguments.resize(end);
    std::memcpy(kept.arguments.data() + offset, value, bytes);
  });
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  return with_old_launch(function, [&](OldLaunch& kept) {
    require(x > 0 && y > 0 && z > 0);
    kept.block = dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
  });
}
CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  return with_old_launch(function, [&](OldLaunch& kept) { kept.shared_bytes = bytes; });
}
CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  return with_old_launch(function, [&](OldLaunch& kept) { kept.arguments.resize(bytes); });
}
CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return set_argument(function, offset, &value, sizeof(value));
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return set_argument(function, offset, &value, sizeof(value));
}
CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned bytes) {
  return set_argument(function, offset, value, bytes);
}
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  OldLaunch own;
  const CUresult known = with_old_launch(function, [&](const OldLaunch& kept) {
    require(width > 0 && height > 0);
    own = kept;
  });
  if (known != CUDA_SUCCESS) return known;
  std::size_t bytes = own.arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, own.arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(function, static_cast<unsigned>(width), static_cast<unsigned>(height), 1, own.block.x,
                        own.block.y, own.block.z, own.shared_bytes, stream, nullptr, extra);
}
CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return cuLaunchGridAsync(function, width, height, nullptr);
}
CUresult cuLaunch(CUfunction function) {
  return cuLaunchGrid(function, 1, 1);
}
}
