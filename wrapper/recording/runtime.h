#pragma once
// Between the table's functions (runtime.cpp) and the recorder (recorder.cpp): what belongs to one host
// thread.
#include "wrapper/recording/recorder.h"

namespace warpscope {

/// One per host thread and recorder. PoCL runs a whole work-group in one thread before it starts the next.
struct Recorder::Thread {
  Thread(Recorder& owner, std::uint32_t work_items);

  void begin_item(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z);
  void end_item() {
    if (++ended == items && selected) recorder.finish_work_group(*this);
  }

  Recorder& recorder;
  Recording recording;
  ObjectMap objects;
  WorkGroupBuilder builder;
  std::uint32_t items;
  std::uint32_t ended;  ///< work-items of `group` that have returned; all of them = no work-group is open
  WorkGroupId group;
  bool selected = false;  ///< whether `group` is recorded
  std::size_t peak_bytes = 0;
};

/// Changes whenever another recorder becomes active or the active one ends: PoCL's threads outlive recorders.
extern std::atomic<std::uint64_t> recorder_generation;

/// The calling thread's part of the active recorder; null if none is active.
Recorder::Thread* attach_thread() noexcept;

/// The calling thread's part of the active recorder while a work-group runs in it; null otherwise. Safe in a
/// signal handler.
const Recorder::Thread* running_thread() noexcept;

/// What the table's functions do: nothing, record, or record and also note the order of sites.
enum class TableMode { Idle, Record, RecordOrder };
void set_table(TableMode mode);

}  // namespace warpscope
