#include "traces/stream/stream_format.h"

#include <algorithm>
#include <bit>

#include "traces/base/json_fields.h"
#include "traces/base/varint.h"
#include "traces/program/context.h"

namespace warpscope {

nlohmann::json to_json(const StreamHeader& header) {
  return {{"version", kStreamVersion},
          {"warp_size", header.warp_size},
          {"cores", header.cores},
          {"carries_core", header.carries_core},
          {"work_groups", header.work_groups},
          {"context", header.context},
          {"descriptions", header.buffers.size() + header.launches.size()},
          {"layout", layout_json(header.layout)}};
}

StreamHeader stream_header_from_json(const nlohmann::json& json, const std::string& where,
                                     DescriptionReader& descriptions) {
  const JsonFields fields(json, where);
  StreamHeader header;
  header.warp_size = fields.number32("warp_size");
  if (header.warp_size == 0 || header.warp_size > kMaxWarpSize) fields.fail("warp_size", "1 to 64");
  header.cores = fields.number32("cores");
  if (header.cores == 0 || header.cores > kMaxStreamSites) fields.fail("cores", "1 to 65536");
  header.carries_core = fields.flag("carries_core", true);
  header.work_groups = fields.number("work_groups");
  if (const nlohmann::json* context = fields.find("context")) header.context = *context;
  const nlohmann::json* layout = fields.find("layout");
  if (layout == nullptr) fields.fail("layout", "an object");
  const JsonFields places(*layout, where + ".layout");
  header.layout = {places.number("base"), places.number("granule"), places.number("large_from"),
                   places.number("large_granule"), places.number("seed", 0)};
  try {
    fields.each("buffers", [&](const nlohmann::json& entry, const std::string&) {
      header.buffers.push_back(buffer_info_from_json(entry));
    });
    fields.each("launches", [&](const nlohmann::json& entry, const std::string&) {
      descriptions.add_launch(entry, header);
    });
    descriptions.expect(fields.number("descriptions", 0));
    (void)Layout(header.buffers, header.layout);
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
  return header;
}

void put_pattern(std::vector<std::uint8_t>& out, const LanePattern& pattern) {
  const std::size_t start = out.size();
  out.resize(start + sizeof(pattern.mask));
  store_le(out.data() + start, pattern.mask);
  for (std::uint32_t lane = 1; lane < pattern.lanes;) {
    DeltaRun run{pattern.offset[lane] - pattern.offset[lane - 1], 1};
    for (++lane; lane < pattern.lanes && pattern.offset[lane] - pattern.offset[lane - 1] == run.delta;
         ++lane) {
      ++run.repeat;
    }
    put_delta_run(out, run);
  }
}

void read_pattern(ByteReader& in, std::uint32_t warp_size, LanePattern& pattern) {
  pattern.mask = load_le<LaneMask>(in.bytes(sizeof(LaneMask), "lane mask").data());
  pattern.lanes = static_cast<std::uint32_t>(std::popcount(pattern.mask));
  if (pattern.mask == 0 || static_cast<std::uint32_t>(std::bit_width(pattern.mask)) > warp_size) {
    in.fail("lane mask", "does not fit the warp");
  }
  std::uint64_t offset = 0;  // unsigned: damaged offsets may wrap
  pattern.offset[0] = pattern.min_offset = pattern.max_offset = 0;
  for (std::uint32_t lane = 1; lane < pattern.lanes;) {
    const DeltaRun run = in.delta_run("lane offset");
    if (run.repeat > pattern.lanes - lane) in.fail("lane offset", "repeats too often");
    for (std::uint64_t i = 0; i < run.repeat; ++i, ++lane) {
      offset += static_cast<std::uint64_t>(run.delta);
      pattern.offset[lane] = static_cast<std::int64_t>(offset);
      pattern.min_offset = std::min(pattern.min_offset, pattern.offset[lane]);
      pattern.max_offset = std::max(pattern.max_offset, pattern.offset[lane]);
    }
  }
}

}  // namespace warpscope
