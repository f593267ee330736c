// The driver's kernels of libraries, graphs and pointers, on what the runtime has (CUDA Driver API, "Library Management", "Graph Management",
// "Unified Addressing").
#include <string>

#include "wrapper/cuda/releases/driver.h"

// Needs the types of the headers above.
#include "passes/cuda/include/warpscope/api/modules.h"

// NOLINTBEGIN(readability-identifier-naming): named after what they are exported as
extern "C" {

// A library's kernel is its function.
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  return device == 0 ? cuFuncGetAttribute(value, attribute, kernel) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  return device == 0 ? cuFuncSetAttribute(kernel, attribute, value) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice device) {
  return device == 0 ? cuFuncSetCacheConfig(kernel, config) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, kernel);
}
CUresult cuFuncLoad(CUfunction function) {
  const char* name = nullptr;
  return cuFuncGetName(&name, function);  // it was, with its module
}

/// Streams have no context of their own: all contexts share everything.
CUresult cuStreamGetCtx(CUstream /*stream*/, CUcontext* context) {
  return context != nullptr ? cuCtxGetCurrent(context) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, void** green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(stream, context);
}
CUresult cuStreamGetDevice(CUstream /*stream*/, CUdevice* device) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetLoadingMode(int* mode) {
  constexpr int kLazy = 2;  // CU_MODULE_LAZY_LOADING: a kernel's code is read when it is launched first
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = kLazy;
  return CUDA_SUCCESS;
}
WARPSCOPE_SAME(cuStreamGetCtx_ptsz, cuStreamGetCtx);
WARPSCOPE_SAME(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2);
WARPSCOPE_SAME(cuStreamGetDevice_ptsz, cuStreamGetDevice);

/// What these libraries have is what the program linked first.
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, unsigned long long flags,
                             int* found) {
  if (symbol == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  static void* const self = [] {
    Dl_info own{};
    return dladdr(reinterpret_cast<const void*>(&cuFuncLoad), &own) != 0
               ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  const std::string form{warpscope::cuda::releases::form_of(symbol, version)};
  *function = self != nullptr && form.starts_with("cu") ? dlsym(self, form.c_str()) : nullptr;
  if (*function == nullptr)
    return WARPSCOPE_CORE(cuGetProcAddress_v2)(form.c_str(), function, version, flags, found);
  if (found != nullptr) *found = 0;  // CU_GET_PROC_ADDRESS_SUCCESS
  return CUDA_SUCCESS;
}
CUresult cuGetProcAddress(const char* symbol, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

/// What is not known of a pointer is left as it is, and no error.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  if (count == 0 || attributes == nullptr || values == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i)
    if (cuPointerGetAttribute(values[i], attributes[i], pointer) == CUDA_ERROR_NOT_INITIALIZED)
      return CUDA_ERROR_NOT_INITIALIZED;
  return CUDA_SUCCESS;
}
/// Copies end before they return, which is what can be asked for.
CUresult cuPointerSetAttribute(const void* value, int attribute, CUdeviceptr pointer) {
  constexpr int kSynchronous = 6;  // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
  std::size_t bytes = 0;
  if (value == nullptr || attribute != kSynchronous) return CUDA_ERROR_INVALID_VALUE;
  return cuMemGetAddressRange(nullptr, &bytes, pointer);
}
}
// NOLINTEND(readability-identifier-naming)
