#include "wrapper/layer/api.h"

#include <map>
#include <mutex>

namespace warpscope::layer {

const cl_icd_dispatch* api = nullptr;

bool is_pocl(cl_platform_id platform) {
  if (platform == nullptr && api->clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return false;
  return info_text(api->clGetPlatformInfo, platform, CL_PLATFORM_NAME) == "Portable Computing Language";
}

bool is_traceable(cl_device_id device) {
  static std::mutex mutex;
  static auto& known = *new std::map<cl_device_id, bool>;  // used until the process is gone
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.emplace(device, false);
  if (is_new) {
    const auto platform = info_value<cl_platform_id>(api->clGetDeviceInfo, device, CL_DEVICE_PLATFORM);
    const auto type = info_value<cl_device_type>(api->clGetDeviceInfo, device, CL_DEVICE_TYPE);
    entry->second = (type & CL_DEVICE_TYPE_CPU) != 0 && platform != nullptr && is_pocl(platform);
  }
  return entry->second;
}

}  // namespace warpscope::layer
