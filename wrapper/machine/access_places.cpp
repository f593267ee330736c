#include "wrapper/machine/access_places.h"

#include "machine/execute/base/device_memory.h"

namespace warpscope {

const std::uint64_t* AccessPlaces::of(const machine::Warp& warp, std::uint32_t site,
                                      const machine::LaneAddresses& addresses,
                                      machine::LaneAddresses& room) const {
  const AddressSpace space = kernel_.described.info.sites[site].space;
  if (space == AddressSpace::Global) return addresses.lane;
  const std::uint64_t base = space == AddressSpace::Local     ? machine::kSharedWindow
                             : space == AddressSpace::Private ? machine::kLocalWindow
                                                              : 0;
  for (unsigned lane = 0; lane < machine::kLanes; ++lane) room.lane[lane] = base + addresses.lane[lane];
  if (space == AddressSpace::Private || space == AddressSpace::Generic)
    for (unsigned lane = 0; lane < machine::kLanes; ++lane)
      if (room.lane[lane] - machine::kLocalWindow < machine::kWindowBytes)
        room.lane[lane] +=
            std::uint64_t{warp.number() * machine::kLanes + lane} * run_.launch().local_bytes();
  if (space != AddressSpace::Private)
    for (std::uint64_t& place : room.lane)
      if (place - machine::kSharedWindow < machine::kSharedWindowBytes)
        place = in_cluster(place - machine::kSharedWindow, warp.group().rank());
  return room.lane;
}

std::uint64_t AccessPlaces::in_cluster(std::uint64_t address, std::uint32_t own_rank) const {
  const std::uint64_t rank = address >> machine::kRankShift, offset = address & (machine::kWindowBytes - 1);
  if (rank == own_rank) return machine::kSharedWindow + offset;
  return machine::kSharedWindow + kSharedOfCluster + rank * stride_in_cluster(run_) + offset;
}

}  // namespace warpscope
