#pragma once
// Short conditional parts that NVIDIA's compiler turns into predicated instructions, several of them into one run of
// instructions: their loads are issued together, and what uses their values comes behind.
//
// Source of the rule: CUDA C Programming Guide 4.2, section 5.4.2, recalled: a branch becomes predicates where at most seven instructions
// depend on it (four, if the compiler does not expect warps to diverge). That loads go in front of the uses of those before them is
// in the machine code that nvcc 13.0 makes for sm_90 (validation/notes/h100.md).
#include <cstdint>
#include <optional>
#include <vector>

#include "traces/program/kernel_info.h"

namespace warpscope::timed {

/// For every block of `kernel` that is one of at least two conditional parts in a row, the block behind the last of them. A part is
/// one block of at most `most` instructions (phis and its branch not counted) that only loads and stores; between two
/// parts are no accesses, and the loads of a later one need nothing of an earlier one, which the capture's `earliest` says. `most` 0:
/// none.
std::vector<std::optional<BlockId>> ends_of_predicated(const KernelInfo& kernel, std::uint32_t most);

}  // namespace warpscope::timed
