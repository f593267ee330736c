#pragma once
// What the driver's functions of these libraries share: they call the runtime's (CUDA Driver API).
#include <cstdint>
#include <string_view>

#include "wrapper/cuda/releases/core.h"

namespace warpscope::cuda::releases {

extern "C" CUresult cuGetErrorName(CUresult result, const char** name);

/// The numbers are the same, but for errors that the driver does not have. The runtime's last error is none of the driver's.
inline CUresult as_result(cudaError_t error) {
  if (error == cudaSuccess) return CUDA_SUCCESS;
  cudaGetLastError();
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  const auto result = static_cast<CUresult>(error);
  const char* name = nullptr;
  if (cuGetErrorName(result, &name) == CUDA_SUCCESS) return result;
  return error < cudaErrorNoDevice ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNKNOWN;
}

inline void* pointer_of(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's pointers are numbers
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

/// What a program of this version of CUDA (12030: 12.3) is to get for a name whose parameters a later release has changed: the name of that form
/// (CUDA Driver API, "Driver Entry Point Access").
inline std::string_view form_of(std::string_view name, int version) {
  struct Form {
    std::string_view name;
    int since;
    std::string_view form;
  };
  static constexpr Form kForms[] = {
      // of one name the last one first
      {"cuGraphGetEdges", 12030, "cuGraphGetEdges_v2"},
      {"cuGraphNodeGetDependencies", 12030, "cuGraphNodeGetDependencies_v2"},
      {"cuGraphNodeGetDependentNodes", 12030, "cuGraphNodeGetDependentNodes_v2"},
      {"cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"},
      {"cuGraphRemoveDependencies", 12030, "cuGraphRemoveDependencies_v2"},
      {"cuGraphAddNode", 12030, "cuGraphAddNode_v2"},
      {"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"},
      {"cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2"},
      {"cuGraphKernelNodeGetParams", 12000, "cuGraphKernelNodeGetParams_v2"},
      {"cuGraphKernelNodeSetParams", 12000, "cuGraphKernelNodeSetParams_v2"},
      {"cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"},
      {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
      {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
      {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
      {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
      {"cuMemcpy3DBatchAsync", 13000, "cuMemcpy3DBatchAsync_v2"},
      {"cuMemcpyBatchAsync", 13000, "cuMemcpyBatchAsync_v2"},
      {"cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"},
      {"cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"},
      {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
      {"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
      {"cuStreamUpdateCaptureDependencies", 12030, "cuStreamUpdateCaptureDependencies_v2"},
  };
  for (const Form& form : kForms)
    if (form.name == name && version >= form.since) return form.form;
  return name;
}

}  // namespace warpscope::cuda::releases
