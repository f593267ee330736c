#pragma once
// NVTX ranges that are open: what the program says it is doing.
#include <cstdint>
#include <string>

namespace warpscope::cuda {

/// Of the calling thread. `domain`: null has no name. What NVTX returns: how many ranges of the domain were open.
int push_range(const char* domain, const char* name);
/// Closes the domain's last one; -1 if there is none.
int pop_range(const char* domain);
/// Of the whole process. The number that end_range() takes.
std::uint64_t start_range(const char* domain, const char* name);
void end_range(std::uint64_t range);

/// Of the process, then of the thread, each in the order in which they were opened: "solver/io:step 3" for a range
/// of the domain `io` inside of one without. At most 200 bytes.
std::string open_ranges();

}  // namespace warpscope::cuda
