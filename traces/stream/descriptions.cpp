#include "traces/stream/descriptions.h"

#include <array>
#include <map>

#include "traces/base/json_fields.h"

namespace warpscope {

void write_descriptions(
    const StreamHeader& header,
    const std::function<void(std::uint32_t, std::uint64_t, std::span<const std::uint8_t>)>& write) {
  for (const BufferInfo& buffer : header.buffers)
    write(kBufferDescriptionTag, buffer.id.value(), bytes_of(dump(to_json(buffer))));
  std::map<std::array<const void*, 5>, LaunchId> first;
  for (const LaunchInfo& launch : header.launches) {
    const std::array objects = {launch.kernel.identity(), launch.build_options.identity(),
                                launch.optimize.identity(), launch.source_name.identity(),
                                launch.source.identity()};
    const auto [entry, is_new] = first.try_emplace(objects, launch.id);
    const std::optional<LaunchId> shares = is_new ? std::nullopt : std::optional(entry->second);
    write(kLaunchDescriptionTag, launch.id.value(), bytes_of(dump(to_json(launch, shares))));
  }
}

bool DescriptionReader::take(const SectionHeader& section, std::span<const std::uint8_t> payload,
                             StreamHeader& header) {
  if (section.tag == kBufferDescriptionTag)
    header.buffers.push_back(buffer_info_from_json(parse_json(text_of(payload), "buffer")));
  else if (section.tag == kLaunchDescriptionTag)
    add_launch(parse_json(text_of(payload), "launch"), header);
  else
    return false;
  if (missing_ == 0) throw InputError("describes more buffers and launches than HEAD announces");
  --missing_;
  return true;
}

void DescriptionReader::add_launch(const nlohmann::json& json, StreamHeader& header) {
  LaunchInfo launch = launch_info_from_json(json, header.launches, &interner_);
  if (!header.launches.empty() && header.launches.back().id >= launch.id)
    throw InputError("launches are not in ascending order");
  header.launches.push_back(std::move(launch));
}

}  // namespace warpscope
