#include "wrapper/recording/spill/held_groups.h"

#include <algorithm>
#include <tuple>

namespace warpscope {

void HeldGroups::keep(LaunchId launch, WorkGroupId group, std::uint32_t part,
                      std::span<const std::uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t begin = spool_.size();
  spool_.waiting().insert(spool_.waiting().end(), bytes.begin(), bytes.end());
  spool_.note_growth();
  pieces_.push_back({launch, group, part, begin, begin + bytes.size()});
}

void HeldGroups::add(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload) {
  keep(launch, group, kWhole, payload);
}

void HeldGroups::add_part(LaunchId launch, WorkGroupId group, std::uint32_t part,
                          std::span<const std::uint8_t> bytes) {
  keep(launch, group, part, bytes);
}

void HeldGroups::end_parts(LaunchId launch, WorkGroupId group) {
  keep(launch, group, kEnd, {});
}

void HeldGroups::hand_on(WorkGroupSink& sink) {
  const std::lock_guard lock(mutex_);
  std::ranges::sort(pieces_, {}, [](const Piece& one) {
    return std::tuple(one.launch.value(), one.group.value(), one.part);
  });
  std::vector<std::uint8_t> bytes;
  for (const Piece& piece : pieces_) {
    bytes.clear();
    SpoolReader reader(spool_, piece.begin, piece.end, piece.end - piece.begin);
    while (!reader.at_end()) {
      const std::span<const std::uint8_t> read = reader.bytes(piece.end - piece.begin - bytes.size());
      bytes.insert(bytes.end(), read.begin(), read.end());
    }
    if (piece.part == kWhole)
      sink.add(piece.launch, piece.group, bytes);
    else if (piece.part == kEnd)
      sink.end_parts(piece.launch, piece.group);
    else
      sink.add_part(piece.launch, piece.group, piece.part, bytes);
  }
}

}  // namespace warpscope
