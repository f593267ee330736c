#pragma once
// OpenCL as the layer sees it: the functions below it. Nothing else in the layer calls OpenCL.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <string>
#include <vector>

namespace warpscope::layer {

/// Set by clInitLayer before anything else runs.
extern const cl_icd_dispatch* api;

/// One value of a clGet…Info query; a zero value when it fails.
// NOLINTBEGIN(bugprone-sizeof-expression): OpenCL's handles are pointers
template <class T, class Get, class Object, class Name>
T info_value(Get get, Object object, Name name) {
  T value{};
  if (get(object, name, sizeof(T), &value, nullptr) != CL_SUCCESS) value = T{};
  return value;
}

template <class T, class Get, class Object, class Name>
std::vector<T> info_values(Get get, Object object, Name name) {
  std::size_t bytes = 0;
  if (get(object, name, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<T> values(bytes / sizeof(T));
  if (get(object, name, bytes, values.data(), nullptr) != CL_SUCCESS) return {};
  return values;
}
// NOLINTEND(bugprone-sizeof-expression)

template <class Get, class Object, class Name>
std::string info_text(Get get, Object object, Name name) {
  const auto letters = info_values<char>(get, object, name);
  return letters.empty() ? "" : std::string(letters.data());
}

/// Null: the platform that the loader takes where an application names none, the first.
bool is_pocl(cl_platform_id platform);

/// Whether kernels of the device can call our runtime: PoCL's CPU devices, which run in this process.
bool is_traceable(cl_device_id device);

}  // namespace warpscope::layer
