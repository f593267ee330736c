#pragma once
// From a box that is a whole work-group to its encoded form, without looking at its work-items one by one.
#include <cstdint>
#include <optional>
#include <vector>

#include "traces/program/kernel_info.h"
#include "wrapper/recording/box_recording.h"
#include "wrapper/recording/object_map.h"
#include "wrapper/recording/work_group_builder.h"

namespace warpscope {

class BoxBuilder {
 public:
  /// `kernel` must outlive the builder.
  BoxBuilder(const KernelInfo& kernel, Dim3 local);

  /// The payload of the work-group; nothing if some site's accesses are not all in one memory object. Throws
  /// as WorkGroupBuilder::build() does.
  std::optional<std::vector<std::uint8_t>> build(const BoxRecording& boxes, ObjectMap& objects,
                                                 LaunchId launch, WorkGroupId group);

  /// Accesses of all work-groups that were built, indexed by site.
  [[nodiscard]] const std::vector<std::uint64_t>& executions() const { return executions_; }
  [[nodiscard]] std::size_t memory_bytes() const { return origin_.memory_bytes(); }
  void forget() { origin_.forget(); }

 private:
  [[nodiscard]] bool is_in_one_object(const BoxRecording& boxes, ObjectMap& objects, std::uint32_t site,
                                      const SiteColumn& column) const;

  const KernelInfo& kernel_;
  Dim3 local_;
  WorkGroupBuilder origin_;  ///< of the first work-item, as if it were alone
  std::vector<std::uint64_t> executions_;
};

}  // namespace warpscope
