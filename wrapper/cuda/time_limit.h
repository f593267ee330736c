#pragma once
// $WARPSCOPE_KERNEL_SECONDS: how long a kernel may run.
#include <CL/cl.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace warpscope::cuda {

/// While it lives, a kernel runs. A kernel cannot be stopped, so the process ends as by Ctrl-C when the time is over:
/// what was recorded until then can be read.
class TimeLimit {
 public:
  /// No limit if the variable is not set. Throws Failure(cudaErrorInvalidValue) after a line if its value is no number
  /// above 0.
  explicit TimeLimit(const std::string& kernel);
  ~TimeLimit();
  /// The time begins when the command behind `event` begins to run; PoCL compiles its kernel before that.
  void begin_with(cl_event event);
  /// It begins now.
  void begin();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  static void CL_CALLBACK on_begin(cl_event event, cl_int status, void* data);
  void wait(double seconds, const std::string& kernel);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_begun_ = false, has_ended_ = false;
  std::thread thread_;
};

}  // namespace warpscope::cuda
