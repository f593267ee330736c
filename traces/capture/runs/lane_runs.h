#pragma once
// Recognises work-groups that repeat an earlier one while they are recorded, and keeps the runs in a lane's log.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/capture/runs/known_records.h"
#include "traces/capture/runs/run_builder.h"
#include "traces/files/section.h"
#include "traces/files/section_lanes.h"

namespace warpscope {

/// False if the environment has WARPSCOPE_RECORDS_ONLY, with which tests compare: every work-group is a record then.
bool are_runs_wanted();

/// Of one lane of a writer; its memory does not depend on the number of work-groups.
class LaneRuns {
 public:
  /// So many work-groups at most are in a log, because without a journal a process that is killed loses them.
  static constexpr std::uint64_t kMostGroups = 256;

  LaneRuns(SectionLanes& lanes, std::uint32_t lane) : lanes_(lanes), lane_(lane) {}

  /// Work-groups of another launch follow. The log is closed.
  void begin(LaunchId launch, std::shared_ptr<const std::vector<bool>> carries_address);
  enum class Added { InRun, LogIsFull, IsRecord };
  /// LogIsFull: close() it, and add the work-group again. IsRecord: it repeats none, and has to be recorded.
  Added add(WorkGroupId group, std::span<const std::uint8_t> payload);
  /// How many bytes the next work-group may add: a run like the last one, and the section's header.
  [[nodiscard]] std::size_t most_bytes() const {
    return kSectionHeaderBytes + sizeof(std::uint64_t) * (4 + 2 * tail_.first.size());
  }
  /// The work-group has been recorded.
  void add_record(WorkGroupId group, std::span<const std::uint8_t> payload) {
    records_->add(group, payload.size(), payload);
  }
  /// The section of what is in the log; empty if there is nothing. It is to be given to SectionLanes::close_log().
  std::vector<std::uint8_t> close();

 private:
  [[nodiscard]] bool has_room(std::size_t words, WorkGroupId record);
  void put_run();

  SectionLanes& lanes_;
  std::uint32_t lane_;
  LaunchId launch_;
  std::optional<KnownRecords> records_;
  RunBuilder tail_;
  std::size_t tail_at_ = 0;         ///< the word where the run in `tail_` begins
  std::size_t words_ = 0;           ///< length of the log
  std::uint64_t groups_ = 0;        ///< in the log
  std::vector<WorkGroupId> forms_;  ///< records that runs of the log refer to
};

/// The section of a log; empty if there is nothing in it. Throws InputError if it is damaged.
std::vector<std::uint8_t> section_of_log(std::span<const std::uint64_t> words);

}  // namespace warpscope
