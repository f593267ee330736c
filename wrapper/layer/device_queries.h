#pragma once
// Queries of the application about its device, answered as DeviceLike says.
#include "wrapper/layer/api.h"

namespace warpscope::layer {

/// Puts our functions for the queries into the table: clGetDeviceInfo, clGetDeviceIDs,
/// clCreateContextFromType, clGetKernelWorkGroupInfo.
void add_device_queries(cl_icd_dispatch& table);

}  // namespace warpscope::layer
