#pragma once
// The work-groups of a launch whose payload is in PART sections (traces/FORMAT.md, "Work-groups in parts").
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/files/mapped_spool.h"

namespace warpscope {

class GroupParts {
 public:
  /// A PART section.
  struct Place {
    std::uint64_t checksum = 0;
    std::uint64_t offset = 0;
    std::uint32_t stored_size = 0;
  };
  void add(WorkGroupId group, const Place& place) { places_[group].push_back(place); }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  /// `stored_sizes` of `groups`, with those of their parts.
  [[nodiscard]] std::vector<std::uint32_t> with_parts(std::span<const WorkGroupId> groups,
                                                      std::vector<std::uint32_t> stored_sizes) const;
  /// The payload, part by part. `list`: payload of the SPLT section. `read` gives the payload of a part. Throws
  /// InputError when one is missing.
  using Read = std::function<std::span<const std::uint8_t>(const Place&)>;
  [[nodiscard]] std::shared_ptr<const MappedSpool> unpack(WorkGroupId group,
                                                          std::span<const std::uint8_t> list,
                                                          const Read& read) const;

 private:
  std::map<WorkGroupId, std::vector<Place>> places_;
};

}  // namespace warpscope
