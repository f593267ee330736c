#pragma once
// Makes a capture of a trace with loop counters (Crawford 2014, listing 5.1), so that every tool can read it.
#include <cstdint>
#include <optional>
#include <string>

#include "traces/base/types.h"

namespace warpscope {

/// The sizes of a launch: the work-groups up to those of the largest ids.
struct CrawfordImport {
  Dim3 global, local;
};

constexpr std::uint32_t kCrawfordElementBytes = 4;

/// Writes the capture `to`. Lanes that make an access with equal loop counters make it together: the control flow is made of the
/// counters (crawford_flow.h). Without `element_bytes` (a power of two up to 16), it is kCrawfordElementBytes, or less for an instruction
/// with addresses that are not aligned to that. Throws InputError "FILE:LINE: …".
CrawfordImport import_crawford_trace(const std::string& from, const std::string& to,
                                     std::optional<std::uint32_t> element_bytes);

}  // namespace warpscope
