#pragma once
// Between the table's functions (runtime.cpp) and the recorder (recorder.cpp): what belongs to one host
// thread.
#include "wrapper/recording/box_builder.h"
#include "wrapper/recording/box_recording.h"
#include "wrapper/recording/boxes/known_groups.h"
#include "wrapper/recording/group_boxes.h"
#include "wrapper/recording/recorder.h"

namespace warpscope {

/// One per host thread and recorder. PoCL runs a whole work-group in one thread before it starts the next. Aligned, so
/// that two threads' share no line of the host's caches.
struct alignas(64) Recorder::Thread {
  Thread(Recorder& owner, std::uint32_t work_items);

  /// An access that is outside of its site's room: gives the site another one, or ends the launch.
  void look_up(std::uint64_t address, std::uint32_t site, std::uint32_t item) noexcept;
  void begin_item(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z);
  void end_item() {
    if (++ended == items && selected) recorder.finish_work_group(*this);
  }

  /// The group is recorded box by box, before it runs. `are_of_grid`: as of WarpscopeAbiV2::begin_grid_boxes.
  void begin_boxes(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z, bool are_of_grid);
  std::uint64_t next_box() {
    if (!selected) return BoxRecording::kNoBox;
    if (known.is_following()) {
      const std::uint64_t box = known.next(objects);
      if (known.is_following()) return box;
    }
    return boxes.next();
  }
  [[nodiscard]] std::uint64_t box_reach() const {
    return known.is_following() ? known.reach() : boxes.reach();
  }
  void predict_accesses(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> sites) {
    if (!known.access(base, strides, sites)) boxes.access(base, strides, sites);
  }
  void predict_branch(std::uint32_t outcome, std::uint32_t bits) {
    if (!known.branch(outcome, bits)) boxes.branch(outcome, bits);
  }
  void predict_sync(std::uint32_t site) {
    if (!known.sync(site)) boxes.sync(site);
  }
  void end_box(std::uint32_t violated) {
    if (known.is_following())
      known.end(violated);
    else
      end_recorded_box(violated);
  }
  void end_boxes() {
    ended = items;
    if (selected) recorder.finish_work_group(*this);
  }

  /// The first access of `group`, by work-item and site, to the byte at `address`; only if is_predicted. For signal
  /// handlers.
  [[nodiscard]] std::optional<RecordedAccess> find(std::uint64_t address) const;

  /// Hands over the work-group that has ended.
  void put_group(WorkGroupSink& sink);
  [[nodiscard]] std::size_t memory_bytes() const;

  Recorder& recorder;
  /// Others only look at these two, and seldom.
  std::atomic<std::uint64_t> done{0};   ///< work-groups recorded
  std::atomic<bool> is_in_sink{false};  ///< whether a work-group is being encoded or written
  Recording recording;                  ///< empty if the group is in `boxes`, `group_boxes` or `known`
  BoxRecording boxes;
  bool has_early_end = false;  ///< whether one of the group's work-items ended in its middle
  bool is_predicted = false;   ///< `group` is recorded box by box, before it runs
  bool is_one_box = false;     ///< `boxes` has all of the group in one box
  bool is_in_boxes = false;    ///< `group_boxes` has all boxes of the group
  ObjectMap objects;
  WorkGroupBuilder builder;
  BoxBuilder box_builder;
  GroupBoxes group_boxes;
  KnownGroups known;  ///< if is_in_boxes and it is following, only this has the group
  std::uint32_t items;
  std::uint32_t ended;  ///< work-items of `group` that have returned; all of them = no work-group is open
  WorkGroupId group;
  bool selected = false;              ///< whether `group` is recorded
  std::vector<std::uint8_t> payload;  ///< payload of a group that is in `recording`
  std::uint64_t encoded_bytes = 0;    ///< sum over all work-groups
  std::size_t peak_bytes = 0;

 private:
  /// The payload of the work-group that has ended, valid until the next call; nothing if some records are in a file.
  std::optional<std::span<const std::uint8_t>> encode_group();
  void put_filed_group(WorkGroupSink& sink);
  bool open(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z);
  void end_recorded_box(std::uint32_t violated);
  void add_box();
  void add_taken_boxes();
  void check_box();
  bool has_room(std::uint32_t site, const BoxExtent& extent);
  bool has_boxes_ = false;  ///< `recording` is that of `group`
};

/// Changes whenever another recorder becomes active or the active one ends: PoCL's threads outlive recorders.
extern std::atomic<std::uint64_t> recorder_generation;

/// The calling thread's part of the active recorder; null if none is active.
Recorder::Thread* attach_thread() noexcept;

/// The calling thread's part of the active recorder while a work-group runs in it; null otherwise. Safe in a
/// signal handler.
const Recorder::Thread* running_thread() noexcept;

// Of machine code, for the work-group that the calling thread has: what the table's functions record of a work-item, of the lanes of a warp.
void record_accesses(const std::uint64_t* addresses, std::uint32_t lanes, std::uint32_t site,
                     std::uint32_t warp);
void record_branches(std::uint32_t taken, std::uint32_t lanes, std::uint32_t warp);
void record_syncs(std::uint32_t lanes, std::uint32_t site, std::uint32_t warp);
/// Before the last work-item of a work-group of machine code ends: how its warps went.
void set_walks(GroupWalks walks);

/// What the table's functions do: nothing, record, record and also note the order of sites, or check addresses first.
enum class TableMode { Idle, Record, RecordOrder, RecordChecked };
void set_table(TableMode mode);

}  // namespace warpscope
