#pragma once
// Where machine code's accesses are among the objects of its launch: shared and local memory have windows of their own, in which those of
// other work-groups of the cluster and of each work-item follow.
#include <cstdint>

#include "machine/execute/group.h"
#include "passes/RuntimeABI.h"
#include "wrapper/machine/machine_kernel.h"

namespace warpscope {

class AccessPlaces {
 public:
  /// Both outlive this.
  AccessPlaces(const MachineRun& run, const MachineKernel& kernel) : run_(run), kernel_(kernel) {}

  /// Of the lanes that access a site at `addresses`, as machine::Observer has them: these, or what they are in `room`.
  const std::uint64_t* of(const machine::Warp& warp, std::uint32_t site,
                          const machine::LaneAddresses& addresses, machine::LaneAddresses& room) const;

  /// Calls place(kind, index, address, item) for each object, as WarpscopeAbiV2::object. `items`: of a work-group.
  template <class Place>
  void each_object(std::uint32_t items, const Place& place) const {
    for (std::uint32_t index = 0; index < run_.addresses().size(); ++index)
      if (run_.addresses()[index] != 0) place(0, index, run_.addresses()[index], WARPSCOPE_ALL_ITEMS);
    for (std::uint32_t index = 0; index < run_.dynamic_shared().size(); ++index)
      if (run_.dynamic_shared()[index] != 0)
        place(0, index, machine::kSharedWindow + run_.dynamic_places()[index], WARPSCOPE_ALL_ITEMS);
    const std::vector<ObjectInfo>& objects = kernel_.described.info.objects;
    for (std::uint32_t index = 0; index < objects.size(); ++index) {
      const AddressSpace space = objects[index].space;
      if (space == AddressSpace::Local)
        place(1, index, machine::kSharedWindow + kernel_.places[index], WARPSCOPE_ALL_ITEMS);
      else if (space == AddressSpace::Global)
        place(1, index, kernel_.places[index], WARPSCOPE_ALL_ITEMS);
      else
        for (std::uint32_t item = 0; item < items; ++item)
          place(1, index, machine::kLocalWindow + item * run_.launch().local_bytes(), item);
    }
  }

 private:
  [[nodiscard]] std::uint64_t in_cluster(std::uint64_t address, std::uint32_t own_rank) const;

  const MachineRun& run_;
  const MachineKernel& kernel_;
};

}  // namespace warpscope
