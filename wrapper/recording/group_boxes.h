#pragma once
// Work-groups that are several boxes. Where all boxes are those of the work-group before, but for where each site is,
// the encoded form is that of the one before, too: nobody looks at its work-items.
#include <cstdint>
#include <optional>
#include <vector>

#include "traces/capture/encode_box.h"
#include "traces/program/kernel_info.h"
#include "wrapper/recording/box_recording.h"
#include "wrapper/recording/lookup/object_map.h"
#include "wrapper/recording/recording.h"

namespace warpscope {

struct RecordedAccess {
  std::uint32_t site = 0, item = 0;
  std::uint64_t address = 0;
};

class GroupBoxes {
 public:
  static constexpr std::size_t kMostBoxes = 128;  ///< more are not worth a comparison

  /// `kernel` must outlive this.
  GroupBoxes(const KernelInfo& kernel, Dim3 local);

  /// A work-group begins.
  void begin();
  /// Takes a box that holds. False, and nothing is taken, if that is not worth it.
  bool take(const BoxRecording& boxes);
  /// Records all boxes that were taken.
  void record(Recording& recording);
  /// As Recorder::Thread::find(), of the boxes that were taken.
  [[nodiscard]] std::optional<RecordedAccess> find(std::uint64_t address) const;

  /// Sets `payload` to that of the work-group, if it is like the one that was kept.
  bool put(ObjectMap& objects, std::vector<std::uint8_t>& payload);
  /// Later work-groups may be like this one. `recording`, `trace`: of all boxes that were taken.
  void keep(const Recording& recording, const WorkGroupTrace& trace, ObjectMap& objects);

  /// Accesses of all work-groups that put() encoded, indexed by site.
  [[nodiscard]] const std::vector<std::uint64_t>& executions() const { return executions_; }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Part {
    Box box;
    RecordingShape item;  ///< of its first work-item
    std::vector<BoxStrides> strides;
  };
  /// A site: where the first work-item accesses it first (here and in the capture), and what all accesses reach from there.
  struct Column {
    std::uint32_t site = 0;
    std::uint64_t address = 0, location = 0;
    BoxExtent reach;
  };

  bool is_next(const BoxRecording& boxes);
  void leave();
  static std::optional<Column> column_of(std::uint32_t site, const Recording& recording,
                                         const SiteColumn& column);
  bool look_at(const Recording& recording, const WorkGroupTrace& trace);
  bool locate(ObjectMap& objects);
  void count(const WorkGroupTrace& trace);

  const KernelInfo& kernel_;
  Dim3 local_;
  std::vector<Part> parts_;            ///< of the work-group at hand, unless it follows
  std::size_t taken_ = 0;              ///< boxes of the work-group at hand
  bool follows_ = false;               ///< all that were taken are the kept ones, moved
  std::vector<std::uint64_t> ways_;    ///< by site, bytes from the kept work-group to the one at hand
  std::vector<std::uint8_t> has_way_;  ///< by site
  std::uint64_t misses_ = 0;           ///< work-groups in a row that were not as the one before

  std::vector<Part> kept_;
  std::size_t kept_parts_ = 0;  ///< 0: nothing is kept, nor what follows
  std::vector<Column> columns_;
  std::vector<std::uint64_t> counts_;  ///< accesses, by site
  BoxEncoding encoding_;
  std::vector<std::uint64_t> first_;  ///< locations of the work-group at hand, one per column
  std::vector<std::uint64_t> executions_;
};

}  // namespace warpscope
