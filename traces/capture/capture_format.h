#pragma once
// Constants of the capture file, shared by its writer and its reader (traces/FORMAT.md, "Capture file").
#include "traces/files/section.h"

namespace warpscope {

constexpr std::uint64_t kCaptureVersion = 1;
constexpr std::size_t kCaptureFooterBytes = 16;  ///< offset of INDX, then kCaptureEndMagic

constexpr std::uint32_t kFileTag = section_tag("FILE");
constexpr std::uint32_t kBufferTag = section_tag("BUFF");
constexpr std::uint32_t kLaunchTag = section_tag("LNCH");
constexpr std::uint32_t kChunkTag = section_tag("CHNK");
constexpr std::uint32_t kNoteTag = section_tag("NOTE");
constexpr std::uint32_t kIndexTag = section_tag("INDX");

}  // namespace warpscope
