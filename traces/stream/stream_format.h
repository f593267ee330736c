#pragma once
// The binary stream file, shared by its writer and its reader (traces/FORMAT.md, "Stream file").
#include <span>
#include <string>
#include <vector>

#include "traces/files/section.h"
#include "traces/stream/descriptions.h"
#include "traces/stream/stream.h"

namespace warpscope {

constexpr std::uint64_t kStreamVersion = 2;  ///< 2: buffers and launches in their own sections
constexpr std::uint32_t kHeadTag = section_tag("HEAD");
constexpr std::uint32_t kLaunchSelectTag = section_tag("LSEL");
constexpr std::uint32_t kBlockTag = section_tag("BLCK");
constexpr std::uint32_t kEndTag = section_tag("FINI");

constexpr std::size_t kMaxBlockRecords = 32768;
constexpr std::size_t kMaxBlockPatternBytes = 256u << 10;
constexpr std::uint32_t kMaxStreamSites =
    1u << 16;  ///< most sites, cores, and warps of a work-group: their columns have 16 bits

/// Bytes of one record over all columns of a block, in their order.
constexpr std::size_t kRecordBytes = 8 + 4 + 4 + 2 + 2 + 2 + 1;

/// HEAD: all but buffers and launches.
nlohmann::json to_json(const StreamHeader& header);
/// `descriptions` takes the launches of a file of version 1, and how many sections are to come in later ones.
/// Throws InputError "WHERE: …".
StreamHeader stream_header_from_json(const nlohmann::json& json, const std::string& where,
                                     DescriptionReader& descriptions);

/// Appends mask and lane offsets.
void put_pattern(std::vector<std::uint8_t>& out, const LanePattern& pattern);

class ByteReader;
/// Reads what put_pattern() wrote. Throws InputError when a lane is not below `warp_size`, none takes part,
/// or offsets are missing.
void read_pattern(ByteReader& in, std::uint32_t warp_size, LanePattern& pattern);

}  // namespace warpscope
