#pragma once
// A launch in which nothing is open any more: every size is a number, every argument has its bytes.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "wrapper/launch/expressions/expression.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {

struct ResolvedArgument {
  ParameterSignature parameter;
  ElementType element;  ///< of a buffer or a value: the parameter's, or the one that the launch says
  bool is_null = false;
  std::uint64_t size = 0;           ///< bytes of a buffer or of local memory; 0 = a buffer's is open
  std::vector<std::uint8_t> bytes;  ///< content of a buffer (`size` bytes) or of a value
  std::string text;                 ///< value of a scalar, for people
  std::optional<Fill::Kind>
      fill;  ///< where the content comes from; nothing: its values are listed, or it is open
  std::vector<Number> fill_numbers = {};        ///< its parameters
  std::string fill_path = {};                   ///< Fill::Kind::File
  std::optional<ResolvedTexture> texture = {};  ///< or a surface, with `bytes` as its elements
  std::optional<ResolvedTensor> tensor =
      {};  ///< a tensor map, with `bytes` as its elements if it has its own
};

struct ResolvedLaunch {
  KernelSignature kernel;
  std::uint32_t dimensions = 1;
  Dim3 global, local, offset{0, 0, 0};
  std::vector<ResolvedArgument> arguments;
  std::vector<std::string> notes;  ///< what was inferred, one sentence each
};

struct LaunchLimits {
  std::uint64_t local_items = 4096;                     ///< work-items per work-group
  std::uint64_t buffer_bytes = std::uint64_t{1} << 40;  ///< limit of one buffer, as a location can address it
  std::uint64_t memory_bytes = std::uint64_t{1} << 40;  ///< limit of all buffers together
};

/// The kernel to run: the one named, or the only one. Throws InputError that lists the kernels.
const KernelSignature& choose_kernel(const std::vector<KernelSignature>& kernels,
                                     const LaunchDescription& launch, const std::string& source_name);

/// Bytes that a kernel accesses of its buffers, by argument.
using BufferSizes = std::map<std::string, std::uint64_t>;

/// Evaluates sizes and scalars, infers what can be inferred, checks the rest and fills the buffers. A buffer whose size is
/// neither given nor in `measured` stays open. Throws InputError that says what is wrong, or what is missing by its name.
ResolvedLaunch resolve_launch(const LaunchDescription& launch, const KernelSignature& kernel,
                              const LaunchLimits& limits, const BufferSizes& measured = {});

/// Throws InputError unless the global size is a multiple of the local one in every dimension.
void check_divisible(Dim3 global, Dim3 local);

/// Size in bytes of a buffer's content given by file, for which no count is needed.
std::uint64_t file_size_of(const Fill& fill, const std::string& where);

}  // namespace warpscope
