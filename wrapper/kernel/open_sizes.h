#pragma once
// Launches that leave sizes of buffers open.
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "traces/program/kernel_info.h"
#include "wrapper/launch/missing_arguments.h"
#include "wrapper/launch/resolved_launch.h"
#include "wrapper/run/opencl_device.h"

namespace warpscope {

/// The kernel without anything but its addresses, if they depend on no memory.
struct AddressCode {
  KernelInfo kernel;
  std::vector<std::uint8_t> bitcode;
};

/// How trace-kernel compiles the kernel of a launch, and what it knows of the device.
struct AddressCompiler {
  std::function<AddressCode(const ResolvedLaunch&)> compile;
  std::function<bool(const ResolvedLaunch&, const KernelInfo&)> fits_device;  ///< says why not
};

/// As resolve_launch(); sizes of buffers that are not given are those that the kernel accesses, if its addresses do not depend on memory. All
/// that is missing is asked for at once, with an example: the process then ends, with status 2. None if the kernel does not fit the device.
std::optional<ResolvedLaunch> resolve_with_sizes(OpenClDevice& device, const LaunchDescription& launch,
                                                 const KernelSignature& kernel, const LaunchLimits& limits,
                                                 const AddressCompiler& compiler,
                                                 const LaunchExample& example);

}  // namespace warpscope
