#pragma once
// From a box that is a whole work-group to its encoded form, without looking at its work-items one by one. A
// work-group that differs from the one before only in where its accesses begin is not even encoded.
#include <cstdint>
#include <vector>

#include "traces/capture/encode_box.h"
#include "traces/program/kernel_info.h"
#include "wrapper/recording/box_recording.h"
#include "wrapper/recording/boxes/known_group.h"
#include "wrapper/recording/lookup/object_map.h"
#include "wrapper/recording/work_group_builder.h"

namespace warpscope {

class BoxBuilder {
 public:
  /// `kernel` must outlive the builder.
  BoxBuilder(const KernelInfo& kernel, Dim3 local);

  enum class Outcome { Encoded, EncodedAsBefore, NotInOneObject };
  /// Sets payload() to that of the work-group, unless some site's accesses are not all in one memory object. Throws
  /// as WorkGroupBuilder::build() does.
  Outcome build(const BoxRecording& boxes, ObjectMap& objects, LaunchId launch, WorkGroupId group);
  [[nodiscard]] std::span<const std::uint8_t> payload() const { return payload_; }
  /// What the work-group is that was built.
  [[nodiscard]] EncodedGroup encoded(const BoxRecording& boxes) const;

  /// Accesses of all work-groups that were built, indexed by site.
  [[nodiscard]] const std::vector<std::uint64_t>& executions() const { return executions_; }
  [[nodiscard]] std::size_t memory_bytes() const { return origin_.memory_bytes(); }
  void forget();

 private:
  /// A site of the work-group: what all its accesses reach, from the first work-item's first.
  struct Column {
    std::uint32_t site = 0;
    BoxStrides strides{};
    BoxExtent reach;
  };

  [[nodiscard]] bool is_as_before(const BoxRecording& boxes) const;
  bool look_at(const BoxRecording& boxes, const WorkGroupTrace& origin);
  bool locate(const BoxRecording& boxes, ObjectMap& objects);

  const KernelInfo& kernel_;
  Dim3 local_;
  WorkGroupBuilder origin_;  ///< builds the first work-item, as if it were alone
  std::vector<std::uint64_t> executions_;

  RecordingShape shape_;  ///< shape of the last encoded work-group, to which the following belong
  std::vector<Column> columns_;
  std::vector<std::uint64_t> counts_;  ///< accesses, indexed by site
  BoxEncoding encoding_;
  std::vector<std::uint64_t> first_;  ///< locations of the current work-group, one per column
  std::span<const std::uint8_t> payload_;
};

}  // namespace warpscope
