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

}  // namespace

TimeLimit::TimeLimit(const std::string& kernel) {
  if (const double seconds = seconds_allowed(); seconds > 0)
    thread_ = std::thread([this, seconds, kernel] { wait(seconds, kernel); });
}

TimeLimit::~TimeLimit() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void TimeLimit::wait(double seconds, const std::string& kernel) {
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return has_ended_; })) return;
  complain(fmt::format("kernel '{}' has not ended after {} s ({}): the program is stopped", kernel, seconds,
                       kVariable));
  std::signal(SIGINT, SIG_DFL);  // also for a program that would go on
  ::kill(::getpid(), SIGINT);
}

}  // namespace warpscope::cuda
