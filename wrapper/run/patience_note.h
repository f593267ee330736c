#pragma once
// A line on a terminal for what takes longer than people wait without a word.
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace warpscope {

/// Writes text() to stderr, if that is a terminal and this lives as long as `patience`. text() is called by a thread of its own.
class PatienceNote {
 public:
  PatienceNote(std::chrono::milliseconds patience, std::function<std::string()> text)
      : thread_([this, patience, text = std::move(text)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          if (::isatty(STDERR_FILENO) == 0) return;
          if (changed_.wait_for(lock, stop, patience, [&] { return stop.stop_requested(); })) return;
          std::fputs(text().c_str(), stderr);
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

}  // namespace warpscope
