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

/// Neighbours that one access of `width` bytes (a power of two, at whose multiples it begins) may reach both of become one array, "low+high": ptxas
/// moves variables that lie next to each other, without a gap, together.
std::vector<SharedArray> joined(const std::vector<SharedArray>& arrays, std::uint64_t width);

/// Bytes at the beginning of shared memory that the system keeps for itself.
std::uint64_t reserved_shared_bytes(const machine::Cubin& cubin);

}  // namespace warpscope
