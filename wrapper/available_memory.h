#pragma once
#include <cstdint>

namespace warpscope {

/// Bytes that this process can use without swapping: what the system says is available, and no more than its
/// control group allows. 2^62 where neither is known.
std::uint64_t available_memory();

}  // namespace warpscope
