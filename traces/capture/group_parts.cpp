#include "traces/capture/group_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "traces/base/error.h"
#include "traces/files/section.h"

namespace warpscope {

std::vector<std::uint32_t> GroupParts::with_parts(std::span<const WorkGroupId> groups,
                                                  std::vector<std::uint32_t> stored_sizes) const {
  for (std::size_t at = 0; at < groups.size(); ++at) {
    const auto places = places_.find(groups[at]);
    if (places == places_.end()) continue;
    std::uint64_t size = stored_sizes[at];
    for (const Place& part : places->second) size += part.stored_size;
    stored_sizes[at] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(size, std::numeric_limits<std::uint32_t>::max()));
  }
  return stored_sizes;
}

std::shared_ptr<const MappedSpool> GroupParts::unpack(WorkGroupId group, std::span<const std::uint8_t> list,
                                                      const Read& read) const {
  constexpr std::size_t kEntry = sizeof(std::uint64_t);
  if (list.size() % kEntry != 0) throw InputError("its list of parts is cut short; capture it again");
  std::map<std::uint64_t, Place> places;
  if (const auto found = places_.find(group); found != places_.end())
    for (const Place& place : found->second) places.emplace(place.checksum, place);
  auto payload = std::make_shared<MappedSpool>();
  for (std::size_t at = 0; at < list.size(); at += kEntry) {
    // Taken out, so that a list that names a part again cannot make the file grow.
    const auto place = places.extract(load_le<std::uint64_t>(&list[at]));
    if (place.empty())
      throw InputError(
          fmt::format("part {} of {} is missing; capture it again", at / kEntry, list.size() / kEntry));
    payload->add(read(place.mapped()));
  }
  payload->map();
  return payload;
}

}  // namespace warpscope
