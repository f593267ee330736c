#pragma once
// A kernel's machine code as captures describe kernels: blocks, memory instructions, who uses what they load.
#include <cstdint>
#include <vector>

#include "machine/describe/flow.h"
#include "traces/program/kernel_info.h"
#include "traces/program/machine_code.h"

namespace warpscope::machine {

constexpr std::uint32_t kNoSite = ~std::uint32_t{0};

struct DescribedKernel {
  KernelInfo info;  ///< without name and arguments, which are the source's
  std::vector<std::uint32_t>
      site_of;  ///< by instruction; kNoSite: it is none. LDGSTS has two, what it reads and what it writes; those for textures as many as they have accesses
  std::vector<std::vector<std::uint32_t>>
      parameters_of;  ///< by site: numbers of the parameters that flow into its address
};

/// The code as captures hold it.
MachineCode describe_code(const Code& code, const CodeFlow& flow);

/// What `flow` reaches. Objects: the kernel's shared memory, then its stack, each if it has any. Throws ExecutionFault for what cannot be recorded.
DescribedKernel describe_kernel(const Code& code, const CodeFlow& flow, const TextureAccesses& textures = {});

}  // namespace warpscope::machine
