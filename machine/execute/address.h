#pragma once
// Addresses of memory operations, and where they lead.
#include "machine/execute/base/fault.h"
#include "machine/execute/base/observer.h"
#include "machine/execute/group.h"
#include "machine/execute/read.h"

namespace warpscope::machine {

/// Bits of Operation::bits of memory operations.
constexpr std::uint32_t kSizeMask = 7;            ///< the size field: U8, S8, U16, S16, 32, 64, 128
constexpr std::uint32_t kWideRegister = 1U << 3;  ///< the register is a pair
constexpr std::uint32_t kWideUniform = 1U << 4;   ///< the uniform register is a pair
constexpr std::uint32_t kHasUniform = 1U << 5;
constexpr unsigned kScaleShift = 6;   ///< two bits: the register is multiplied by 1, 4, 8, 16
constexpr unsigned kFieldsShift = 8;  ///< the operation's own bits

/// Cluster: shared memory of any work-group of the cluster.
enum class Space : std::uint8_t { Global, Shared, Local, Generic, Cluster };

constexpr bool is_outside(Space space) {
  return space == Space::Global || space == Space::Generic;
}

inline unsigned bytes_of_size(std::uint32_t size) {
  static constexpr std::uint8_t kBytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  return kBytes[size & 7];
}

/// The addresses of all lanes; those of shared and local memory have 32 bits.
inline void addresses_of(const Warp& warp, const Operation& operation, bool has_64_bits,
                         LaneAddresses& addresses) {
  const LaneValues& low = warp.read(false, operation.a.low);
  const LaneValues& high = warp.read(false, operation.a.high);
  const bool wide = (operation.bits & kWideRegister) != 0;
  static constexpr std::uint8_t kScales[] = {0, 2, 3, 4};
  const unsigned scale = kScales[operation.bits >> kScaleShift & 3];
  std::uint64_t common = static_cast<std::uint64_t>(operation.offset);
  if ((operation.bits & kHasUniform) != 0) {
    common += warp.read(false, operation.b.low)[0];
    if ((operation.bits & kWideUniform) != 0)
      common += std::uint64_t{warp.read(false, operation.b.high)[0]} << 32;
  }
  for (unsigned i = 0; i < kLanes; ++i)
    addresses.lane[i] = (wide ? pair_of(low[i], high[i]) : std::uint64_t{low[i]} << scale) + common;
  if (has_64_bits) return;
  for (unsigned i = 0; i < kLanes; ++i) addresses.lane[i] &= 0xffffffffU;
}

template <Space kSpace>
std::uint8_t* place_of(Warp& warp, unsigned lane, std::uint64_t address, unsigned bytes) {
  Group& group = warp.group();
  try {
    if constexpr (kSpace == Space::Global) return group.global_at(address, bytes);
    if constexpr (kSpace == Space::Shared) return group.shared_at(address, bytes);
    if constexpr (kSpace == Space::Cluster) return group.shared_of_cluster_at(address, bytes);
    if constexpr (kSpace == Space::Local) return group.local_at(warp, lane, address, bytes);
    return group.generic_at(warp, lane, address, bytes);
  } catch (ExecutionFault& fault) {
    fault.lane = static_cast<int>(lane);
    throw;
  }
}

/// Where the lanes of an access are in a piece of the host's memory.
struct Places {
  Group::Piece piece;
  std::uint64_t offset[kLanes];  ///< of lanes that take no part: as the first one's
  bool is_row = false;           ///< the lanes of a whole warp are one behind the other
  bool is_one = false;           ///< all at the same place

  [[nodiscard]] std::uint8_t* of(unsigned lane) const {
    return piece.data + lane * piece.per_lane + offset[lane];
  }
};

template <Space kSpace>
Group::Piece piece_of(const Warp& warp, std::uint64_t address) {
  Group& group = warp.group();
  if constexpr (kSpace == Space::Global) return group.global_piece(address);
  if constexpr (kSpace == Space::Shared) return group.shared_piece();
  if constexpr (kSpace == Space::Local) return group.local_piece(warp);
  return group.generic_piece(warp, address);
}

/// False if the lanes are not all in the piece of the first one, or one is at a wrong multiple: place_of() then says which. All bounds are
/// checked at once: an offset behind the last possible one, or before the first, has its uppermost bit set in one of two differences.
template <Space kSpace, unsigned kBytes>
bool find_places(const Warp& warp, const LaneAddresses& addresses, LaneSet lanes, Places& places) {
  const std::uint64_t address = addresses.lane[static_cast<unsigned>(std::countr_zero(lanes)) & 31];
  places.piece = piece_of<kSpace>(warp, address);
  if (places.piece.bytes < kBytes) return false;
  const std::uint64_t origin = places.piece.origin, last = places.piece.bytes - kBytes;
  for (unsigned i = 0; i < kLanes; ++i) places.offset[i] = addresses.lane[i] - origin;
  if (lanes != kAllLanes)
    for (unsigned i = 0; i < kLanes; ++i)
      places.offset[i] = (lanes >> i & 1) != 0 ? places.offset[i] : address - origin;
  const std::uint64_t first = places.offset[0];
  std::uint64_t outside = 0, parts = 0, steps = 0, differences = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t offset = places.offset[i];
    outside |= (last - offset) | offset;
    parts |= offset + origin;
    steps |= offset - first - std::uint64_t{i} * kBytes;
    differences |= offset ^ first;
  }
  const bool is_shared_by_lanes = places.piece.per_lane == 0;
  places.is_row = steps == 0 && lanes == kAllLanes && is_shared_by_lanes;
  places.is_one = differences == 0 && is_shared_by_lanes;
  return outside >> 63 == 0 && parts % kBytes == 0;
}

/// Of a load: notes if another work-group wrote one of the words. Places of lanes that take no part are the first one's.
template <unsigned kBytes>
void note_read(const Warp& warp, const Places& places) {
  const std::uint32_t own = warp.group().as_writer();
  const std::uint32_t* const writers = places.piece.writers;
  bool others = false;
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned word = 0; word < (kBytes + 3) / 4; ++word) {
      const std::uint32_t writer = writers[places.offset[i] / 4 + word];
      others |= writer != 0 && writer != own;
    }
  if (others) warp.group().launch().order().add(warp.place(), OrderCause::Others);
}

/// Of a store to global memory: the words are this work-group's.
template <unsigned kBytes>
void note_write(const Warp& warp, const Places& places) {
  std::uint32_t* const writers = warp.group().followed_writers(places.piece);
  if (writers == nullptr) return;
  const std::uint32_t own = kBytes < 4 ? 0 : warp.group().as_writer();
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned word = 0; word < (kBytes + 3) / 4; ++word) writers[places.offset[i] / 4 + word] = own;
}

/// Of a load from global memory where work-groups run at the same time, and of a store: before it is made.
template <unsigned kBytes>
void claim_read(const Warp& warp, const Places& places) {
  ClaimedMemory& claimed = *places.piece.claimed;
  if (!claimed.begin_reading()) return;
  for (unsigned i = 0; i < (places.is_one ? 1 : kLanes); ++i)
    for (unsigned word = 0; word < (kBytes + 3) / 4; ++word)
      claimed.read(places.offset[i] / 4 + word, warp.group().as_writer());
}

template <unsigned kBytes>
void claim_write(const Warp& warp, const Places& places) {
  ClaimedMemory& claimed = *places.piece.claimed;
  claimed.begin_writing();
  for (unsigned i = 0; i < (places.is_one ? 1 : kLanes); ++i)
    for (unsigned word = 0; word < (kBytes + 3) / 4; ++word)
      claimed.write(places.offset[i] / 4 + word, warp.group().as_writer());
}

inline void observe(const Warp& warp, const Operation& operation, LaneSet lanes,
                    const LaneAddresses& addresses) {
  if (Observer* observer = warp.group().launch().observer())
    observer->access(warp, operation, lanes, addresses);
}

}  // namespace warpscope::machine
