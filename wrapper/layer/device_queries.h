#pragma once
// Queries of the application about its device, answered as DeviceLike says.
#include "wrapper/layer/api.h"
#include "wrapper/session/device_like.h"

namespace warpscope::layer {

/// After clGetDeviceInfo was successful: puts the GPU's limit into `value` (may be null).
void answer_device_info(const DeviceLike& like, cl_device_id device, cl_device_info name, std::size_t size,
                        void* value);
/// The same for clGetKernelWorkGroupInfo; `device` may be null, for the only one of the kernel's context.
void answer_kernel_info(const DeviceLike& like, cl_kernel kernel, cl_device_id device,
                        cl_kernel_work_group_info name, void* value);

}  // namespace warpscope::layer
