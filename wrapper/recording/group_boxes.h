#pragma once
// Work-groups that are several boxes. Where all boxes are those of an earlier work-group, but for where each site is,
// the encoded form is that of the earlier one, too: nobody looks at its work-items. Several are kept, because the
// borders of a grid come in turns: left, right, left.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "traces/capture/encode_box.h"
#include "traces/program/kernel_info.h"
#include "wrapper/recording/box_recording.h"
#include "wrapper/recording/boxes/known_group.h"
#include "wrapper/recording/lookup/object_map.h"
#include "wrapper/recording/recording.h"

namespace warpscope {

class GroupBoxes {
 public:
  static constexpr std::size_t kMostBoxes = 128;                       ///< limit for comparisons
  static constexpr std::size_t kMostKept = 16;                         ///< number of kept work-groups
  static constexpr std::size_t kMostKeptBytes = std::size_t{8} << 20;  ///< limit for several of these

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

  /// The payload of the work-group, if it is like one that was kept; empty otherwise. Valid until the next call.
  std::span<const std::uint8_t> put(ObjectMap& objects);
  /// Later work-groups may be like this one. `recording`, `trace`: of all boxes that were taken. Returns whether it is kept.
  bool keep(const Recording& recording, const WorkGroupTrace& trace, ObjectMap& objects);
  /// After put() or keep() has done something: what the work-group is.
  [[nodiscard]] EncodedGroup encoded() const;

  /// Accesses of all work-groups that put() encoded, indexed by site.
  [[nodiscard]] const std::vector<std::uint64_t>& executions() const { return executions_; }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Part {
    Box box;
    RecordingShape item;  ///< shape of its first work-item
    std::vector<BoxStrides> strides;
  };
  struct Kept {
    std::vector<Part> parts;
    std::vector<LocatedColumn> columns;
    std::vector<std::uint64_t> counts;  ///< accesses, by site
    BoxEncoding encoding;
    [[nodiscard]] std::size_t memory_bytes() const;
  };

  bool follow(const BoxRecording& boxes);
  bool is_next(const Kept& kept, const BoxRecording& boxes);
  bool begins_as_followed(const Kept& kept);
  void leave();
  static std::optional<LocatedColumn> column_of(std::uint32_t site, const Recording& recording,
                                                const SiteColumn& column);
  static bool look_at(Kept& kept, const Recording& recording, const WorkGroupTrace& trace);
  bool locate(const Kept& kept, ObjectMap& objects);
  void count(Kept& kept, const WorkGroupTrace& trace) const;
  void add_kept(std::unique_ptr<Kept> kept);

  const KernelInfo& kernel_;
  Dim3 local_;
  std::vector<Part> parts_;                ///< parts of the current work-group, unless it follows another
  std::size_t taken_ = 0;                  ///< number of boxes of the current work-group
  Kept* followed_ = nullptr;               ///< the work-group whose first boxes, moved, are all those taken
  std::vector<std::uint64_t> ways_;        ///< bytes from the followed to the current work-group, by site
  std::vector<std::uint8_t> has_way_;      ///< whether `ways_` is set, indexed by site
  std::vector<std::uint64_t> other_ways_;  ///< `ways_` of a work-group that may be followed instead
  std::vector<std::uint8_t> other_has_way_;
  std::uint64_t misses_ = 0;                 ///< work-groups in a row that were not as one before
  std::vector<std::unique_ptr<Kept>> kept_;  ///< sorted by last use, the latest first
  std::vector<std::uint64_t> first_;         ///< locations of the current work-group, one per column
  std::vector<std::uint64_t> executions_;
};

}  // namespace warpscope
