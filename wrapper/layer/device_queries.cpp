#include "wrapper/layer/device_queries.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>

#include "wrapper/layer/layer_state.h"
#include "wrapper/recording/fault_handlers.h"

namespace warpscope::layer {
namespace {

/// CL_KHRONOS_VENDOR_ID_POCL of newer headers.
constexpr cl_uint kVendorId = 0x10006;

/// The application's memory may be at any address.
template <class T>
void put(void* value, T content) {
  std::memcpy(value, &content, sizeof(content));
}

template <class T>
T content_of(const void* value) {
  T content{};
  std::memcpy(&content, value, sizeof(content));
  return content;
}

template <class T>
void limit(void* value, std::uint64_t most) {
  put(value, static_cast<T>(std::min<std::uint64_t>(content_of<T>(value), most)));
}

/// Like the two above, unless nothing is known.
template <class T>
void limit_if_known(void* value, std::uint64_t most) {
  if (most != 0) limit<T>(value, most);
}

template <class T>
void put_if_known(void* value, std::uint64_t content) {
  if (content != 0) put<T>(value, static_cast<T>(content));
}

bool is_vector_width(cl_device_info name) {
  return (name >= CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR && name <= CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) ||
         (name >= CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR && name <= CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) ||
         name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF;
}

std::uint32_t vector_width(const DeviceLike& like, cl_device_info name) {
  if (name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR || name == CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR)
    return like.char_vectors;
  if (name == CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT || name == CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT)
    return like.short_vectors;
  return 1;
}

/// A part of a device keeps the compute units that the application gave it.
bool is_whole(cl_device_id device) {
  return info_value<cl_device_id>(api->clGetDeviceInfo, device, CL_DEVICE_PARENT_DEVICE) == nullptr;
}

std::string text_answer(const std::string& text) {
  return {text.c_str(), text.size() + 1};
}

/// Answers that PoCL's have nothing to do with, as the bytes that OpenCL hands out. The vendor is none of
/// those that programs know: who reads "NVIDIA" writes inline PTX, or leaves out barriers within a warp, and PoCL
/// can neither. GPUs' drivers divide no device.
std::optional<std::string> own_answer(const DeviceLike& like, cl_device_id device, cl_device_info name) {
  if (!like.is_gpu() || !is_traceable(device)) return std::nullopt;
  switch (name) {
    case CL_DEVICE_NAME:
      return text_answer(like.device_name);
    case CL_DEVICE_VENDOR:
      return text_answer("The pocl project");
    case CL_DEVICE_PARTITION_PROPERTIES:
      return std::string(sizeof(cl_device_partition_property), '\0');
    default:
      return std::nullopt;
  }
}

cl_int hand_out(const std::string& answer, std::size_t size, void* value, std::size_t* size_needed) {
  if (value != nullptr && size < answer.size()) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, answer.data(), answer.size());
  if (size_needed != nullptr) *size_needed = answer.size();
  return CL_SUCCESS;
}

/// After clGetDeviceInfo was successful: limits of memories and caches.
void change_memory_answer(const DeviceLike& like, cl_device_info name, void* value) {
  switch (name) {
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return limit_if_known<cl_ulong>(value, like.global_bytes);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      limit_if_known<cl_ulong>(value, like.global_bytes);
      return limit_if_known<cl_ulong>(value, like.most_allocated_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
      return put_if_known<cl_ulong>(value, like.cache_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
      return put_if_known<cl_uint>(value, like.cache_line_bytes);
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return limit<cl_ulong>(value, like.local_bytes);
    case CL_DEVICE_LOCAL_MEM_TYPE:
      return put<cl_device_local_mem_type>(value, CL_LOCAL);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
      return limit<cl_ulong>(value, like.constant_bytes);
    default:
      return;
  }
}

/// The same for everything else; `size` is that of `value`, in bytes.
void change_answer(const DeviceLike& like, cl_device_id device, cl_device_info name, std::size_t size,
                   void* value) {
  if (!like.is_gpu() || value == nullptr || !is_traceable(device)) return;
  if (is_vector_width(name)) return limit<cl_uint>(value, vector_width(like, name));
  switch (name) {
    case CL_DEVICE_TYPE:
      return put<cl_device_type>(
          value,
          (content_of<cl_device_type>(value) & ~cl_device_type{CL_DEVICE_TYPE_CPU}) | CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_VENDOR_ID:
      return put<cl_uint>(value, kVendorId);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return limit<std::size_t>(value, like.work_items);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      for (std::size_t i = 0; i < like.work_item_sizes.size() && (i + 1) * sizeof(std::size_t) <= size; ++i)
        limit<std::size_t>(static_cast<char*>(value) + i * sizeof(std::size_t), like.work_item_sizes[i]);
      return;
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return put<std::size_t>(value, like.warp_size);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return put_if_known<cl_uint>(value, like.clock_mhz);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
      return put<cl_uint>(value, 1);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      if (is_whole(device)) put<cl_uint>(value, like.cores);
      return;
    default:
      return change_memory_answer(like, name, value);
  }
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info name, std::size_t size, void* value,
                                   std::size_t* size_needed) {
  std::optional<std::string> own;
  own_work([&](const Layer& self) { own = own_answer(self.session.settings().device_like, device, name); });
  if (own) return hand_out(*own, size, value, size_needed);
  const cl_int status = api->clGetDeviceInfo(device, name, size, value, size_needed);
  if (status == CL_SUCCESS)
    own_work([&](const Layer& self) {
      change_answer(self.session.settings().device_like, device, name, size, value);
    });
  return status;
}

/// `device`, or the only one of the kernel's context if the application names none.
cl_device_id device_of(cl_kernel kernel, cl_device_id device) {
  if (device != nullptr) return device;
  const auto context = info_value<cl_context>(api->clGetKernelInfo, kernel, CL_KERNEL_CONTEXT);
  const auto devices = info_values<cl_device_id>(api->clGetContextInfo, context, CL_CONTEXT_DEVICES);
  return devices.size() == 1 ? devices.front() : nullptr;
}

/// A kernel that requires a size can have it.
std::uint64_t required_work_items(cl_kernel kernel, cl_device_id device) {
  std::array<std::size_t, 3> size{};
  api->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(size), size.data(),
                                nullptr);
  return size[0] * size[1] * size[2];
}

void change_kernel_answer(const DeviceLike& like, cl_kernel kernel, cl_device_id asked,
                          cl_kernel_work_group_info name, void* value) {
  if (!like.is_gpu() || value == nullptr) return;
  if (name != CL_KERNEL_WORK_GROUP_SIZE && name != CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) return;
  const cl_device_id device = device_of(kernel, asked);
  if (device == nullptr || !is_traceable(device)) return;
  if (name == CL_KERNEL_WORK_GROUP_SIZE)
    limit<std::size_t>(value, std::max(like.work_items, required_work_items(kernel, device)));
  else
    put<std::size_t>(value, like.warp_size);
}

cl_int CL_API_CALL get_kernel_work_group_info(cl_kernel kernel, cl_device_id device,
                                              cl_kernel_work_group_info name, std::size_t size, void* value,
                                              std::size_t* size_needed) {
  const cl_int status = api->clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_needed);
  if (status == CL_SUCCESS)
    own_work([&](const Layer& self) {
      change_kernel_answer(self.session.settings().device_like, kernel, device, name, value);
    });
  return status;
}

/// PoCL's CPU is the GPU that the program sees: who asks for a GPU gets it. Who asks for a CPU still does, because
/// it would find one without us.
cl_device_type type_below(cl_platform_id platform, cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) == 0 || type == CL_DEVICE_TYPE_ALL) return type;
  own_work([&](const Layer& self) {
    if (self.session.settings().device_like.is_gpu() && is_pocl(platform)) type |= CL_DEVICE_TYPE_CPU;
  });
  return type;
}

/// PoCL starts its threads when it is asked for devices the first time. A kernel may use up the stack of such
/// a thread before anything of ours runs there, so each gets another one for signal handlers.
template <class Call>
auto with_stacks_for_new_threads(const Call& call) {
  static std::atomic<bool> is_known = false;
  if (layer.load() == nullptr || is_known.load()) return call();
  const std::vector<pid_t> before = threads_of_process();
  const auto result = call();
  std::vector<pid_t> threads = threads_of_process();
  std::erase_if(
      threads, [&](pid_t thread) { return std::find(before.begin(), before.end(), thread) != before.end(); });
  if (!threads.empty() && !is_known.exchange(true)) own_work([&](Layer&) { give_alternate_stacks(threads); });
  return result;
}

cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint count,
                                  cl_device_id* devices, cl_uint* count_needed) {
  const cl_device_type below = type_below(platform, type);
  return with_stacks_for_new_threads(
      [&] { return api->clGetDeviceIDs(platform, below, count, devices, count_needed); });
}

cl_context CL_API_CALL create_context_from_type(const cl_context_properties* properties, cl_device_type type,
                                                void(CL_CALLBACK* notify)(const char*, const void*,
                                                                          std::size_t, void*),
                                                void* data, cl_int* status) {
  cl_platform_id platform = nullptr;
  for (const cl_context_properties* next = properties; next != nullptr && *next != 0; next += 2)
    if (*next == CL_CONTEXT_PLATFORM) std::memcpy(&platform, next + 1, sizeof(cl_platform_id));  // NOLINT
  const cl_device_type below = type_below(platform, type);
  return with_stacks_for_new_threads(
      [&] { return api->clCreateContextFromType(properties, below, notify, data, status); });
}

}  // namespace

void add_device_queries(cl_icd_dispatch& table) {
  table.clGetDeviceInfo = get_device_info;
  table.clGetKernelWorkGroupInfo = get_kernel_work_group_info;
  table.clGetDeviceIDs = get_device_ids;
  table.clCreateContextFromType = create_context_from_type;
}

}  // namespace warpscope::layer
