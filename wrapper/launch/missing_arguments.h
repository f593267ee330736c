#pragma once
// What a launch does not say of a kernel's arguments, in one message.
#include <cstdint>
#include <optional>
#include <string>

#include "traces/base/error.h"
#include "traces/base/types.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {

class MissingArguments : public InputError {
 public:
  using InputError::InputError;
};

/// What the launch says about the kernel's argument `index`; null: nothing.
const ArgumentDescription* description_of(const LaunchDescription& launch, const KernelSignature& kernel,
                                          std::size_t index);

/// Nobody says how large the buffer is.
bool has_open_size(const ParameterSignature& parameter, const ArgumentDescription* given);

/// What the example is made from that asks for arguments.
struct LaunchExample {
  std::uint32_t dimensions = 1;  ///< as many as the file asks for: get_global_id(1), threadIdx.y
  bool is_cuda = false;          ///< --grid and --block instead of --global
  std::string command = {};      ///< what was typed; "" if it is not known
};
/// "dimensions" of a source file's text.
std::uint32_t dimensions_of(const std::string& source);

/// A line that names the global size, every value and every size of local memory that is not given, and with `with_buffers` every buffer's
/// size, and ends with a command line, or options, that give them; "" if nothing is missing. `global`: of the launch, if it is known.
std::string missing_arguments(const LaunchDescription& launch, const KernelSignature& kernel,
                              bool with_buffers, const std::optional<Dim3>& global,
                              const LaunchExample& example = {});

/// Gives what missing_arguments() names a value of zero, 64 bytes, or some work-groups.
void add_placeholders(LaunchDescription& launch, const KernelSignature& kernel);

/// "524,288".
std::string with_commas(std::uint64_t value);

}  // namespace warpscope
