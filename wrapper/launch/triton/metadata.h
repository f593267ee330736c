#pragma once
// Kernels of Triton's cache: what NAME.json, and NAME.ttir if it is there, say of the kernel in NAME.cubin. The keys are those that Triton 2.1 to 3.6
// write; seen in files that public repositories show and in PTX of these versions.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "wrapper/launch/cuda_launch.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {

/// Memory that Triton's launcher allocates, and passes behind the kernel's own arguments: since 3.2 global_scratch, since 3.4 profile_scratch, too.
struct TritonScratch {
  std::string name;
  std::uint64_t bytes = 0;  ///< per work-group; 0: a null pointer is passed
};

struct TritonMetadata {
  std::string path;
  std::string kernel;
  std::uint32_t work_items = 0;          ///< of a work-group: num_warps × warp_size
  std::uint64_t shared_bytes = 0;        ///< dynamic
  std::uint32_t groups_per_program = 1;  ///< num_ctas: they form a cluster
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::vector<TritonScratch> scratch;  ///< in the order of the parameters
};

/// Throws InputError for what is no metadata of a kernel for NVIDIA GPUs.
TritonMetadata read_triton_metadata(const std::string& path);
/// The same of a text; `path`: for messages, and next to which NAME.ttir is looked for.
TritonMetadata parse_triton_metadata(const std::string& text, const std::string& path);

/// The work-groups' size, shared memory and cluster; a grid of programs becomes one of work-groups. Throws InputError where the options say otherwise.
void apply_to_options(const TritonMetadata& metadata, CudaLaunchOptions& options, LaunchDescription& launch);

/// Names the scratch pointers among the kernel's parameters and says what they are; names and types of the others come from NAME.ttir. Throws
/// InputError for a kernel with fewer parameters.
void apply_to_kernel(const TritonMetadata& metadata, KernelSignature& kernel, LaunchDescription& launch);

}  // namespace warpscope
