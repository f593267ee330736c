#include "wrapper/kernel/open_sizes.h"

#include <algorithm>

#include "traces/base/error.h"
#include "wrapper/launch/missing_arguments.h"
#include "wrapper/run/buffer_extents.h"
#include "wrapper/run/capture_launch.h"

namespace warpscope {
namespace {

bool has_open_sizes(const ResolvedLaunch& launch) {
  return std::ranges::any_of(launch.arguments, [](const ResolvedArgument& argument) {
    return argument.parameter.kind == ParameterSignature::Kind::Buffer && !argument.is_null &&
           argument.size == 0;
  });
}

/// Whether buffers' sizes belong to what is missing shows in the kernel's first call of the recorder, with anything for
/// the rest.
[[noreturn]] void ask(OpenClDevice& device, const LaunchDescription& launch, const KernelSignature& kernel,
                      const LaunchLimits& limits, const AddressCompiler& compiler,
                      const LaunchExample& example) {
  LaunchDescription any = launch;
  add_placeholders(any, kernel);
  bool with_buffers = false;
  std::optional<Dim3> global;
  try {
    const ResolvedLaunch resolved = resolve_launch(any, kernel, limits);
    if (!launch.global.empty()) global = resolved.global;
    if (has_open_sizes(resolved)) {
      const AddressCode code = compiler.compile(resolved);
      with_buffers = !can_measure_buffers(device, resolved, code.kernel, code.bitcode);
    }
  } catch (const InputError&) {  // a value has to be known for that
  }
  leave_running_kernel(missing_arguments(launch, kernel, with_buffers, global, example), kExitBadInput);
}

}  // namespace

std::optional<ResolvedLaunch> resolve_with_sizes(OpenClDevice& device, const LaunchDescription& launch,
                                                 const KernelSignature& kernel, const LaunchLimits& limits,
                                                 const AddressCompiler& compiler,
                                                 const LaunchExample& example) {
  ResolvedLaunch resolved;
  try {
    resolved = resolve_launch(launch, kernel, limits);
  } catch (const MissingArguments&) {
    ask(device, launch, kernel, limits, compiler, example);
  }
  if (!has_open_sizes(resolved)) return resolved;
  const AddressCode code = compiler.compile(resolved);
  if (!compiler.fits_device(resolved, code.kernel)) return std::nullopt;
  const auto sizes = measure_buffers(device, resolved, code.kernel, code.bitcode);
  if (!sizes)
    leave_running_kernel(missing_arguments(launch, kernel, true, resolved.global, example), kExitBadInput);
  return resolve_launch(launch, kernel, limits, *sizes);
}

}  // namespace warpscope
