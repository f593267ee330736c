#pragma once
// The traced process's side of a session: numbers launches and buffers, chooses what is recorded, writes the
// capture and says to its parent what happened. Knows no OpenCL. Thread-safe.
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "traces/capture/writer.h"
#include "traces/program/capture.h"
#include "traces/program/group_selection.h"
#include "traces/program/launch_selection.h"
#include "traces/program/unwritten.h"
#include "wrapper/recording/recorder.h"
#include "wrapper/session/losses.h"
#include "wrapper/session/settings.h"

namespace warpscope::layer {

/// What became of a launch.
struct LaunchEnd {
  const RecorderTotals* totals = nullptr;  ///< null: it was only timed
  double seconds = 0;                      ///< time since its first work-item
  bool has_run = true;                     ///< false: an event that it waited for failed
  std::string failure;                     ///< why it is incomplete, or empty
  bool is_of_program = false;              ///< the failure is an error that the program gets untraced, too
};

class Session : public WorkGroupSink {
 public:
  /// `directory`: as made by write_settings(). The process's folder and its capture appear with the first
  /// launch or note. Throws InputError when the settings cannot be read.
  explicit Session(const std::string& directory);

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] const TraceSettings& settings() const { return settings_; }
  [[nodiscard]] const GroupSelection& selection() const { return selection_; }

  /// Number of the next launch; count_launch() goes on to the one after it.
  [[nodiscard]] LaunchId next_launch() const;
  /// Whether the next launch is chosen by the settings, and can be recorded.
  [[nodiscard]] bool wants(const std::string& kernel) const;
  void count_launch();
  /// The next launch is not recorded: goes on to the one after it. `is_untraced`: as its kernel cannot be.
  void pass_over_launch(const std::string& kernel, bool is_untraced);

  /// Numbers a memory object (its id is filled in here) and writes it.
  BufferId add_buffer(BufferInfo buffer);
  /// `key`: equal for launches that share kernel, options and source. Ids ascend.
  void begin_launch(const LaunchInfo& launch, const std::string& key);
  /// Throws InputError when the capture would exceed its limit or the disk is full.
  void add(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload) override;
  void add_part(LaunchId launch, WorkGroupId group, std::uint32_t part,
                std::span<const std::uint8_t> bytes) override;
  void end_parts(LaunchId launch, WorkGroupId group) override;
  /// The program has machine code: to be said before anything is written.
  void expect_machine_code();
  /// Before end_launch() of a launch of machine code.
  void add_machine_code(LaunchId launch, const MachineCode& code, std::span<const InstructionTotals> totals);
  void end_launch(LaunchId launch, const KernelInfo& kernel, const LaunchEnd& end);

  /// What nobody had written when this launch, which is about to run, began.
  void note_unwritten(LaunchId launch, const UnwrittenOfLaunch& found);
  /// What the program has not freed; at its end.
  void note_left(const std::vector<LeftAllocation>& left);

  /// Something that was not traced, or goes wrong otherwise; each text is reported once.
  void report_untraced(const std::string& text) { note("untraced", text); }
  void warn(const std::string& text) { note("warning", text); }

  /// The file of events, open for appending; -1 = none. What is written there has to be whole lines.
  [[nodiscard]] int events() const;

  /// In a forked child: lets go of the files, which belong to the parent. The session may not be used there.
  void leave_to_parent();

 private:
  void claim();
  void open_counts();
  /// Runs `work`, which writes to the capture; if that fails, nothing is recorded from then on.
  template <class Work>
  void write(const Work& work);
  void append_event(const nlohmann::json& event);
  void note(const char* kind, const std::string& text);

  std::string directory_;
  TraceSettings settings_;
  GroupSelection selection_;
  std::atomic<bool> closed_ = false;  ///< the capture cannot grow any more
  LaunchSelection launches_;
  LossCounter losses_;
  mutable std::recursive_mutex mutex_;  ///< guards what follows
  std::uint32_t next_launch_ = 0;
  std::uint64_t recorded_ = 0;
  bool has_machine_code_ = false;
  std::uint32_t buffers_ = 0;
  std::string folder_;  ///< folder of this process; empty = none yet
  int events_ = -1;
  /// In a file, so that they outlive the process however it ends; null = there is none.
  struct Counts {
    std::uint64_t launches, beyond_limit, untraced;
  };
  Counts* counts_ = nullptr;
  std::set<std::string> passed_over_;  ///< kernels
  std::unique_ptr<CaptureWriter> writer_;
  std::map<std::string, LaunchId> first_with_key_;
  std::set<std::string> notes_;
  std::optional<LaunchId> last_unwritten_;       ///< the last launch whose parts were written
  std::vector<UnwrittenBytes> last_parts_ = {};  ///< and these
};

}  // namespace warpscope::layer
