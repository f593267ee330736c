#pragma once
// Names of a kernel's shared arrays, which machine code has no symbols for.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"

namespace warpscope {

struct SharedArray {
  std::string name;
  std::uint64_t offset = 0;  ///< in shared memory
  std::uint64_t bytes = 0;
};

/// By the PTX that -lineinfo keeps, in ptxas's order (docs/machine-code.md); empty without it, and where that does not give the size that the kernel has.
std::vector<SharedArray> shared_arrays(const machine::Cubin& cubin, const machine::Function& kernel);

/// Bytes at the beginning of shared memory that the system keeps for itself.
std::uint64_t reserved_shared_bytes(const machine::Cubin& cubin);

}  // namespace warpscope
