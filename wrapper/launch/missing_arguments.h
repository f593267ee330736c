#pragma once
// What a launch does not say of a kernel's arguments, in one message.
#include <cstdint>
#include <string>

#include "traces/base/error.h"
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

/// A line that names the global size, every value and every size of local memory that is not given, and with `with_buffers` every buffer's
/// size, and ends with the options that give them; "" if nothing is missing. `work_items`: of the launch, as an example; 0 = not known.
std::string missing_arguments(const LaunchDescription& launch, const KernelSignature& kernel,
                              bool with_buffers, std::uint64_t work_items);

/// Gives what missing_arguments() names a value of zero, 64 bytes, or 64 work-items.
void add_placeholders(LaunchDescription& launch, const KernelSignature& kernel);

/// "524,288".
std::string with_commas(std::uint64_t value);

}  // namespace warpscope
