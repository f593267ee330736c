#include "wrapper/cuda/time_limit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

constexpr const char* kVariable = "WARPSCOPE_KERNEL_SECONDS";
constexpr double kLongest = 1e9;  // 30 years: more does not fit a clock's numbers

/// 0 = no limit.
double seconds_allowed() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr || *text == '\0') return 0;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end == '\0' && std::isfinite(seconds) && seconds > 0) return std::min(seconds, kLongest);
  complain(fmt::format("{}: '{}': expected seconds above 0, for example 10", kVariable, text));
  throw Failure{cudaErrorInvalidValue};
}

/// One kernel runs at a time. PoCL's call may come late.
std::mutex running_mutex;
TimeLimit* running = nullptr;

}  // namespace

TimeLimit::TimeLimit(const std::string& kernel) {
  if (const double seconds = seconds_allowed(); seconds > 0)
    thread_ = std::thread([this, seconds, kernel] { wait(seconds, kernel); });
}

TimeLimit::~TimeLimit() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(running_mutex);
    running = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TimeLimit::begin_with(cl_event event) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(running_mutex);
    running = this;
  }
  if (clSetEventCallback(event, CL_RUNNING, &on_begin, nullptr) != CL_SUCCESS)
    on_begin(event, CL_RUNNING, nullptr);
}

void TimeLimit::begin() {
  if (!thread_.joinable()) return;
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  changed_.notify_one();
}

void CL_CALLBACK TimeLimit::on_begin(cl_event /*event*/, cl_int /*status*/, void* /*data*/) {
  const std::lock_guard lock(running_mutex);
  if (running == nullptr) return;
  const std::lock_guard own(running->mutex_);
  running->has_begun_ = true;
  running->changed_.notify_one();
}

void TimeLimit::wait(double seconds, const std::string& kernel) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return has_begun_ || has_ended_; });
  if (changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return has_ended_; })) return;
  complain(fmt::format("kernel '{}' has not ended after {} s ({}): the program is stopped", kernel, seconds,
                       kVariable));
  std::signal(SIGINT, SIG_DFL);  // also for a program that would go on
  ::kill(::getpid(), SIGINT);
}

}  // namespace warpscope::cuda
