#pragma once
// A launch that runs for more than a minute: work-groups that wait for each other do not end if PoCL cannot run all of them at a time.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "wrapper/program/program_events.h"

namespace warpscope {

/// The first launch of the session's `directory` that has begun and not ended.
std::optional<LaunchRow> running_launch(const std::string& directory);

/// A line about a launch that has more work-groups than PoCL has `threads`; "" for others.
std::string why_it_may_not_end(const LaunchRow& launch, std::uint64_t threads);

/// Writes that line to stderr, once, about a launch that ran during a whole `interval`.
class LongLaunchNote {
 public:
  LongLaunchNote(std::string directory, std::uint64_t threads, std::chrono::milliseconds interval);

 private:
  void watch(const std::stop_token& stop);

  std::string directory_;
  std::uint64_t threads_;
  std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

}  // namespace warpscope
