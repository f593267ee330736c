#pragma once
// Runs an instrumented launch and puts what it records into a capture file.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/base/random.h"
#include "traces/program/capture.h"
#include "traces/program/unwritten.h"
#include "wrapper/launch/resolved_launch.h"
#include "wrapper/recording/recorder.h"
#include "wrapper/run/kernel_run.h"

namespace warpscope {

struct CaptureSettings {
  std::string output;                                   ///< "-" = standard output
  std::string options_text;                             ///< options for the file's header
  std::uint64_t size_limit = 0;                         ///< bytes, 0 = none
  std::uint64_t group_memory = std::uint64_t{1} << 30;  ///< RecorderSetup::group_memory
  bool record_order = false;
  bool count_only = false;   ///< everything but the file
  bool skip_others = false;  ///< work-groups that are not recorded are not run
  GroupOrder order;          ///< with another one than ascending PoCL must have one thread
  bool resume = false;       ///< continue the .part file of `output`, if there is one
  unsigned threads = 1;      ///< of machine code
};

struct CaptureReport {
  RecorderTotals totals;
  double start_seconds = 0;  ///< time from enqueue to the first work-item: PoCL's own compilation
  double run_seconds = 0;    ///< time from the first work-item to the closed file
  std::uint64_t file_bytes = 0;
  std::string order_dependent;  ///< of machine code: order_dependence()
  std::string in_turns;         ///< of machine code: why one thread executed all work-groups; "": not so
  std::uint64_t found = 0;      ///< work-groups that were recorded before; `totals` has the others
};

/// What the recorder has to know about the launch's memory objects, and what the capture says about them.
struct LaunchObjects {
  std::vector<BufferInfo> buffers;      ///< sorted by id
  std::vector<TracedObject> arguments;  ///< one per kernel argument
  std::vector<TracedObject> objects;    ///< one per KernelInfo::objects
  UnwrittenOfLaunch unwritten;          ///< arguments that nobody has written
};

/// Numbers the memory objects: arguments first, then the kernel's own arrays.
LaunchObjects number_objects(const ResolvedLaunch& launch, const KernelInfo& kernel);

/// What the capture's notes say of a launch; null: nothing.
nlohmann::json notes_of(const LaunchInfo& info, const LaunchObjects& objects);

/// Fills in sizes, arguments and object ids; the source and the build options are the caller's.
LaunchInfo describe_launch(const ResolvedLaunch& launch, const KernelInfo& kernel,
                           const LaunchObjects& objects);

/// Ends the process with a message while a kernel runs: PoCL offers no way to stop it.
[[noreturn]] void leave_running_kernel(const std::string& message, int status);

/// Runs `run` once with recording. Throws InputError on bad input and full disks before or after the launch.
/// A failure, an interruption (SIGINT, SIGTERM, SIGHUP) or a fault of the kernel in the middle leaves a
/// readable NAME.part and ends the process, with status 2, 128 + signal or 3: the kernel cannot be stopped.
CaptureReport capture_launch(KernelRun& run, const LaunchInfo& info, const LaunchObjects& objects,
                             const CaptureSettings& settings);

}  // namespace warpscope
