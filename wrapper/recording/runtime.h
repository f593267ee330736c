#pragma once
// Between the table's functions (runtime.cpp) and the recorder (recorder.cpp): what belongs to one host
// thread.
#include "wrapper/recording/box_builder.h"
#include "wrapper/recording/box_recording.h"
#include "wrapper/recording/group_boxes.h"
#include "wrapper/recording/recorder.h"

namespace warpscope {

/// One per host thread and recorder. PoCL runs a whole work-group in one thread before it starts the next.
struct Recorder::Thread {
  Thread(Recorder& owner, std::uint32_t work_items);

  /// An access that is outside of its site's room: gives the site another one, or ends the launch.
  void look_up(std::uint64_t address, std::uint32_t site, std::uint32_t item) noexcept;
  void begin_item(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z);
  void end_item() {
    if (++ended == items && selected) recorder.finish_work_group(*this);
  }

  /// The group is recorded box by box, before it runs.
  void begin_boxes(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z);
  std::uint64_t next_box() { return selected ? boxes.next() : BoxRecording::kNoBox; }
  void end_box(std::uint32_t violated);
  void end_boxes() {
    ended = items;
    if (selected) recorder.finish_work_group(*this);
  }

  /// The first access of `group`, by work-item and site, to the byte at `address`; only if is_told_ahead. For signal
  /// handlers.
  [[nodiscard]] std::optional<RecordedAccess> find(std::uint64_t address) const;

  /// Sets `payload` to that of the work-group that has ended.
  void encode_group();
  [[nodiscard]] std::size_t memory_bytes() const;

  Recorder& recorder;
  Recording recording;  ///< empty if the group is in `boxes` or `group_boxes`
  BoxRecording boxes;
  bool is_told_ahead = false;  ///< `group` is recorded box by box, before it runs
  bool is_one_box = false;     ///< `boxes` has all of the group in one box
  bool is_in_boxes = false;    ///< `group_boxes` has all boxes of the group
  ObjectMap objects;
  WorkGroupBuilder builder;
  BoxBuilder box_builder;
  GroupBoxes group_boxes;
  std::uint32_t items;
  std::uint32_t ended;  ///< work-items of `group` that have returned; all of them = no work-group is open
  WorkGroupId group;
  bool selected = false;  ///< whether `group` is recorded
  std::vector<std::uint8_t> payload;
  std::uint64_t encoded_bytes = 0;  ///< of all work-groups
  std::size_t peak_bytes = 0;

 private:
  bool open(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z);
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

/// What the table's functions do: nothing, record, record and also note the order of sites, or check addresses first.
enum class TableMode { Idle, Record, RecordOrder, RecordChecked };
void set_table(TableMode mode);

}  // namespace warpscope
