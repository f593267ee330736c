#pragma once
#include <cstdint>

namespace warpscope {

/// Bytes that this process can use without swapping: what the system says is available, and no more than its
/// control group allows. 2^62 where neither is known.
std::uint64_t available_memory();

/// How many work-groups are run or recorded at a time, by PoCL or of machine code: $POCL_MAX_PTHREAD_COUNT, else all CPUs.
std::uint64_t pocl_threads();

/// What recording one work-group may take, in bytes: 1 GiB, less where PoCL's threads together would take
/// more than half of the memory that is available, but 16 MiB at least.
std::uint64_t default_group_memory();

}  // namespace warpscope
