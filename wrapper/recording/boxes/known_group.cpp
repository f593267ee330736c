#include "wrapper/recording/boxes/known_group.h"

#include <algorithm>

namespace warpscope {
namespace {

constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

/// Replaces `found` by an access of a call that a work-item makes, if that is of an earlier work-item or site.
void find_in(const PredictedCall& call, std::span<const std::int64_t> words, std::uint64_t way,
             std::uint32_t item, std::uint64_t address, const KernelInfo& kernel,
             std::optional<RecordedAccess>& found) {
  for (std::size_t pair = 0; pair < words.size(); pair += 2) {
    const auto site = static_cast<std::uint32_t>(words[pair]);
    const std::uint64_t at = call.base + way + static_cast<std::uint64_t>(words[pair + 1]);
    const bool is_earlier = !found || item < found->item || (item == found->item && site < found->site);
    // Private memory is not at its place in this process.
    if (is_earlier && kernel.sites[site].space != AddressSpace::Private &&
        is_access_to(address, at, kernel.sites[site].width))
      found = RecordedAccess{site, item, at};
  }
}

}  // namespace

std::span<const std::int64_t> Prediction::words_of(const PredictedCall& call) const {
  if ((call.what & 0xff) != static_cast<std::uint64_t>(PredictedCall::Kind::Accesses)) return {};
  return std::span(words).subspan(call.words, call.what >> 8);
}

std::size_t Prediction::memory_bytes() const {
  return calls.capacity() * sizeof(PredictedCall) + words.capacity() * sizeof(std::int64_t) +
         boxes.capacity() * sizeof(Box);
}

std::unique_ptr<KnownGroup> KnownGroup::make(Prediction prediction, const EncodedGroup& group,
                                             const KernelInfo& kernel, Dim3 local, const ObjectMap& objects) {
  auto known = std::make_unique<KnownGroup>();
  known->prediction = std::move(prediction);
  known->moves = objects.moves();
  std::vector<std::uint32_t> part_of(kernel.sites.size(), kNoPart);
  if (!known->find_parts(part_of, local) || !known->find_rooms(group, part_of, kernel, objects))
    return nullptr;
  known->counts.assign(group.counts.begin(), group.counts.end());
  known->encoding = group.encoding;
  return known;
}

/// Which accesses move together: those of a call, and those of a site. False if more than one look at each call is needed to
/// find out.
bool KnownGroup::find_parts(std::vector<std::uint32_t>& part_of, Dim3 local) {
  for (PredictedCall& call : prediction.calls) {
    const std::span<const std::int64_t> words = prediction.words_of(call);
    if (words.empty()) continue;
    call.part = kNoPart;
    for (std::size_t pair = 0; pair < words.size(); pair += 2) {
      const std::uint32_t part = part_of[static_cast<std::size_t>(words[pair])];
      if (part == kNoPart) continue;
      if (call.part != kNoPart && call.part != part) return false;
      call.part = part;
    }
    const std::array<std::uint64_t, 3> to_next = {static_cast<std::uint64_t>(call.strides[0]) * local.x,
                                                  static_cast<std::uint64_t>(call.strides[1]) * local.y,
                                                  static_cast<std::uint64_t>(call.strides[2]) * local.z};
    call.is_first = call.part == kNoPart;
    if (call.is_first) {
      call.part = static_cast<std::uint32_t>(rooms.size());
      rooms.emplace_back();
      steps.push_back(to_next);
    }
    for (std::size_t d = 0; d < to_next.size(); ++d) has_steps[d] &= steps[call.part][d] == to_next[d];
    for (std::size_t pair = 0; pair < words.size(); pair += 2)
      part_of[static_cast<std::size_t>(words[pair])] = call.part;
  }
  return true;
}

bool KnownGroup::find_rooms(const EncodedGroup& group, std::span<const std::uint32_t> part_of,
                            const KernelInfo& kernel, const ObjectMap& objects) {
  for (const LocatedColumn& column : group.columns) {
    const SiteInfo& site = kernel.sites[column.site];
    const PlacedObject object = objects.shared(site.object);
    const std::uint64_t begin = column.address + static_cast<std::uint64_t>(column.reach.lowest);
    const std::uint64_t end = column.address + static_cast<std::uint64_t>(column.reach.highest) + site.width;
    if (!object.contains(begin, end)) return false;
    Room& room = rooms[part_of[column.site]];
    room.back = std::min(room.back, begin - object.base);
    room.ahead = std::min(room.ahead, object.base + object.size - end);
    columns.push_back({part_of[column.site], column.location});
  }
  return true;
}

bool KnownGroup::is_like(const KnownGroup& other) const {
  const std::vector<PredictedCall>& calls = prediction.calls;
  if (calls.size() != other.prediction.calls.size() || prediction.words != other.prediction.words ||
      prediction.boxes != other.prediction.boxes || moves != other.moves)
    return false;
  std::vector<std::uint64_t> ways(rooms.size());
  for (std::size_t index = 0; index < calls.size(); ++index) {
    const PredictedCall& here = calls[index];
    const PredictedCall& there = other.prediction.calls[index];
    if (here.what != there.what || !are_equal(here.strides, there.strides)) return false;
    if (prediction.words_of(here).empty()) continue;
    if (here.is_first) ways[here.part] = here.base - there.base;
    if (ways[here.part] != here.base - there.base) return false;
  }
  return true;
}

std::optional<RecordedAccess> KnownGroup::find(std::uint64_t address, std::span<const std::uint64_t> ways,
                                               const KernelInfo& kernel, Dim3 local) const {
  std::optional<RecordedAccess> found;
  const PredictedCall* first = prediction.calls.data();
  for (const Box& box : prediction.boxes) {
    const PredictedCall* end = first;
    while (end->what != PredictedCall::what_of(PredictedCall::Kind::EndOfBox)) ++end;
    for_items(box, local, [&](std::uint32_t item, const std::array<std::int64_t, 3>& distance) {
      if (found && found->item < item) return;
      for (const PredictedCall* call = first; call != end; ++call) {
        std::uint64_t way = ways[call->part];
        for (std::size_t d = 0; d < distance.size(); ++d)
          way += static_cast<std::uint64_t>(call->strides[d]) * static_cast<std::uint64_t>(distance[d]);
        find_in(*call, prediction.words_of(*call), way, item, address, kernel, found);
      }
    });
    first = end + 1;
  }
  return found;
}

std::size_t KnownGroup::memory_bytes() const {
  return prediction.memory_bytes() + rooms.capacity() * sizeof(Room) + steps.capacity() * sizeof(steps[0]) +
         columns.capacity() * sizeof(Column) + counts.capacity() * sizeof(std::uint64_t);
}

}  // namespace warpscope
