#pragma once
// Records one launch: fills the table that instrumented kernels call through (passes/RuntimeABI.h), gives
// every host thread a recording of its own, and hands each finished work-group on in encoded form.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/group_selection.h"
#include "traces/program/kernel_info.h"
#include "wrapper/recording/address_guard.h"
#include "wrapper/recording/lookup/object_map.h"
#include "wrapper/recording/spill/work_group_sink.h"
#include "wrapper/recording/work_group_builder.h"

namespace warpscope {

struct RecorderSetup {
  const KernelInfo* kernel = nullptr;  ///< outlives the recorder
  LaunchId launch;
  Dim3 groups;                          ///< number of work-groups per dimension
  Dim3 local;                           ///< work-items per work-group
  std::vector<TracedObject> arguments;  ///< one per kernel argument
  std::vector<TracedObject> objects;    ///< one per KernelInfo::objects
  std::vector<PlacedObject> others;     ///< other memory that the kernel may find the address of
  GroupSelection selection;             ///< which work-groups are recorded
  bool record_order = false;
  AddressGuard* guard = nullptr;  ///< not null: addresses of global and constant memory are checked
  /// Memory in bytes that recording one work-group may take; what needs more goes to a temporary file.
  std::uint64_t group_memory = std::uint64_t{1} << 30;
  /// Of `arguments` and `others`; 0 of an argument that is none.
  [[nodiscard]] std::vector<BufferId> buffers() const {
    std::vector<BufferId> ids;
    ids.reserve(arguments.size() + others.size());
    for (const TracedObject& one : arguments) ids.push_back(one.id);
    for (const PlacedObject& one : others) ids.push_back(one.id);
    return ids;
  }
};

struct RecorderTotals {
  std::vector<SiteTotals> sites;
  std::uint64_t work_groups = 0;        ///< recorded
  std::uint64_t left_out = 0;           ///< work-groups that ran and could not be recorded
  WorkGroupId first_left_out;           ///< the first of them in order
  std::string why_left_out;             ///< reason for `first_left_out`
  std::uint64_t encoded_bytes = 0;      ///< size before compression
  std::uint64_t peak_memory_bytes = 0;  ///< peak of all threads' recordings together
};

/// "3 work-groups are not recorded; work-group 5 is not recorded: why"; empty if none was left out.
std::string left_out_report(const RecorderTotals& totals);

/// At most one recorder is active in a process: the table is a global of the process.
class Recorder {
 public:
  using Clock = std::chrono::steady_clock;

  /// Becomes the active recorder. Throws std::logic_error if another one is active.
  Recorder(const RecorderSetup& setup, WorkGroupSink& sink);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Waits until all work-groups of the launch are recorded, something went wrong, or `timeout` is over.
  /// True unless it timed out.
  bool wait(std::chrono::milliseconds timeout);
  /// Work-groups recorded so far.
  [[nodiscard]] std::uint64_t work_groups_done() const;
  /// Whether all of them have been recorded or left out.
  [[nodiscard]] bool is_complete() const;
  /// Work-groups of the launch that are selected.
  [[nodiscard]] std::uint64_t work_groups_expected() const { return expected_; }
  /// Lets work-groups that end from now on go nowhere, and returns when none is on its way to the sink any
  /// more, or one does not get there within 5 seconds.
  void abandon();
  /// After the launch has ended: rethrows what went wrong in a kernel's thread. A launch whose work-groups
  /// did not all begin and end is reported as std::logic_error.
  void check() const;
  /// After the launch has ended.
  [[nodiscard]] RecorderTotals totals() const;
  /// After the launch has ended: where each argument lay in this process; 0 = unknown.
  [[nodiscard]] std::vector<std::uint64_t> argument_addresses() const;
  /// When the first work-item began; the epoch if none did.
  [[nodiscard]] Clock::time_point first_begin() const;

  [[nodiscard]] LaunchId launch() const { return setup_.launch; }
  [[nodiscard]] const KernelInfo& kernel() const { return *setup_.kernel; }
  [[nodiscard]] const Dim3& local() const { return setup_.local; }  ///< work-items per work-group

  struct Thread;  ///< what one host thread owns

 private:
  friend Thread* attach_thread() noexcept;
  friend struct Thread;
  void finish_work_group(Thread& thread) noexcept;
  void fail(std::exception_ptr failure) noexcept;
  void leave_out(Thread& thread, const std::string& why);  ///< empty: there was not enough memory
  void note_left_out(const Thread& thread, const std::string& why);
  [[nodiscard]] bool has_failed() const;
  [[nodiscard]] bool is_in_sink() const;  ///< a work-group is being encoded or written

  RecorderSetup setup_;
  WorkGroupSink& sink_;
  std::uint64_t expected_;
  std::atomic<std::uint64_t> left_out_{0};
  std::atomic<bool> abandoned_{false};
  std::atomic<Clock::rep> first_begin_{0};
  mutable std::mutex mutex_;  ///< guards what follows
  std::exception_ptr failure_;
  WorkGroupId first_left_out_;
  std::string why_left_out_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace warpscope
