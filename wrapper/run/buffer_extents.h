#pragma once
// How much of its buffers a kernel accesses, where that does not depend on what they hold.
#include <cstdint>
#include <optional>
#include <span>

#include "traces/program/kernel_info.h"
#include "wrapper/launch/resolved_launch.h"
#include "wrapper/run/opencl_device.h"

namespace warpscope {

/// Bytes from the start of each buffer to the end of the last access to it, over the whole launch; 0 = it is not accessed.
/// `bitcode`: instrumented so that the kernel computes nothing but addresses, if they depend on no memory
/// (kAddressesOnlyOption); nothing of the buffers' content is looked at. None if addresses or branches depend on memory: then the kernel's first work-item
/// stays where it is, and the process has to end by leave_running_kernel().
std::optional<BufferSizes> measure_buffers(OpenClDevice& device, const ResolvedLaunch& launch,
                                           const KernelInfo& kernel, std::span<const std::uint8_t> bitcode);

/// Whether measure_buffers() would find sizes. In both cases the process has to end by leave_running_kernel().
bool can_measure_buffers(OpenClDevice& device, const ResolvedLaunch& launch, const KernelInfo& kernel,
                         std::span<const std::uint8_t> bitcode);

}  // namespace warpscope
