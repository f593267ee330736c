#pragma once
// Constants of the capture file, shared by its writer and its reader (traces/FORMAT.md, "Capture file").
#include "traces/capture/code/code_sections.h"
#include "traces/files/section.h"

namespace warpscope {

constexpr std::uint64_t kCaptureVersion =
    3;  ///< of captures in which launches refer to the machine code of others
/// Of captures with work-groups in parts, in runs or with walks.
constexpr std::uint64_t kVersionOfParts = 2;
/// Of captures in which every work-group is one record, which earlier releases read, too.
constexpr std::uint64_t kVersionOfRecords = 1;
constexpr std::size_t kCaptureFooterBytes = 16;  ///< offset of INDX, then kCaptureEndMagic

constexpr std::uint32_t kFileTag = section_tag("FILE");
constexpr std::uint32_t kBufferTag = section_tag("BUFF");
constexpr std::uint32_t kLaunchTag = section_tag("LNCH");
constexpr std::uint32_t kChunkTag = section_tag("CHNK");
constexpr std::uint32_t kPartTag = section_tag("PART");
constexpr std::uint32_t kSplitTag = section_tag("SPLT");
constexpr std::uint32_t kNoteTag = section_tag("NOTE");
constexpr std::uint32_t kIndexTag = section_tag("INDX");

/// Number of a PART section.
constexpr std::uint64_t part_number(WorkGroupId group, std::uint32_t part) {
  return std::uint64_t{part} << 32 | group.value();
}

}  // namespace warpscope
