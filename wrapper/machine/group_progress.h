#pragma once
// How far a launch of machine code is, of all threads that execute it.
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "traces/base/progress.h"

namespace warpscope {

class GroupProgress {
 public:
  /// `groups`: how many will be recorded. `kernel`: "" shows nothing, as inside of a program.
  GroupProgress(const std::string& kernel, std::uint64_t groups) : groups_(groups) {
    if (!kernel.empty()) progress_.emplace(kernel, groups, "work-groups", "");
  }

  /// One more has ended. Throws as check_signal().
  void add();
  /// All begin once more.
  void restart() { done_ = 0; }
  /// Throws machine::ExecutionFault after SIGINT and the like.
  void check_signal() const;

 private:
  std::uint64_t groups_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;  ///< guards what follows
  std::optional<Progress> progress_;
};

}  // namespace warpscope
