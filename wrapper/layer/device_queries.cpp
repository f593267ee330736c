#include "wrapper/layer/device_queries.h"

#include <algorithm>
#include <cstring>

namespace warpscope::layer {
namespace {

/// The application's memory may be at any address.
template <class T>
void put(void* value, T content) {
  std::memcpy(value, &content, sizeof(content));
}

template <class T>
void limit(void* value, std::uint64_t most) {
  T content{};
  std::memcpy(&content, value, sizeof(content));
  put(value, static_cast<T>(std::min<std::uint64_t>(content, most)));
}

bool is_vector_width(cl_device_info name) {
  return (name >= CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR && name <= CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) ||
         (name >= CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR && name <= CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) ||
         name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF;
}

/// A part of a device keeps the compute units that the application gave it.
bool is_whole(cl_device_id device) {
  return info_value<cl_device_id>(api->clGetDeviceInfo, device, CL_DEVICE_PARENT_DEVICE) == nullptr;
}

}  // namespace

void answer_device_info(const DeviceLike& like, cl_device_id device, cl_device_info name, std::size_t size,
                        void* value) {
  if (!like.is_gpu() || value == nullptr || !is_traceable(device)) return;
  if (is_vector_width(name)) return limit<cl_uint>(value, 1);
  switch (name) {
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return limit<std::size_t>(value, like.work_items);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      for (std::size_t i = 0; i < like.work_item_sizes.size() && (i + 1) * sizeof(std::size_t) <= size; ++i)
        limit<std::size_t>(static_cast<char*>(value) + i * sizeof(std::size_t), like.work_item_sizes[i]);
      return;
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return limit<cl_ulong>(value, like.local_bytes);
    case CL_DEVICE_LOCAL_MEM_TYPE:
      return put<cl_device_local_mem_type>(value, CL_LOCAL);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
      return limit<cl_ulong>(value, like.constant_bytes);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return put<std::size_t>(value, like.warp_size);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      if (like.cores != 0 && is_whole(device)) put<cl_uint>(value, like.cores);
      return;
    default:
      return;
  }
}

void answer_kernel_info(const DeviceLike& like, cl_kernel kernel, cl_device_id device,
                        cl_kernel_work_group_info name, void* value) {
  if (!like.is_gpu() || value == nullptr) return;
  if (name != CL_KERNEL_WORK_GROUP_SIZE && name != CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) return;
  if (device == nullptr) {
    const auto context = info_value<cl_context>(api->clGetKernelInfo, kernel, CL_KERNEL_CONTEXT);
    const auto devices = info_values<cl_device_id>(api->clGetContextInfo, context, CL_CONTEXT_DEVICES);
    if (devices.size() != 1) return;
    device = devices.front();
  }
  if (!is_traceable(device)) return;
  if (name == CL_KERNEL_WORK_GROUP_SIZE)
    limit<std::size_t>(value, like.work_items);
  else
    put<std::size_t>(value, like.warp_size);
}

}  // namespace warpscope::layer
