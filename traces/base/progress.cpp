#include "traces/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace warpscope {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::chrono::duration<double> kTooEarly{2};  // to say how fast it goes

constexpr std::uint64_t kMinute = 60;

/// Seconds; 0 where nothing can be said.
std::uint64_t rest(std::uint64_t done, std::uint64_t total, std::chrono::duration<double> elapsed) {
  if (done == 0 || done >= total || elapsed < kTooEarly) return 0;
  return static_cast<std::uint64_t>(
      std::ceil(elapsed.count() * static_cast<double>(total - done) / static_cast<double>(done)));
}

}  // namespace

bool is_long(std::uint64_t done, std::uint64_t total, std::chrono::duration<double> elapsed) {
  return rest(done, total, elapsed) > kMinute;
}

std::string time_left(std::uint64_t done, std::uint64_t total, std::chrono::duration<double> elapsed) {
  const std::uint64_t seconds = rest(done, total, elapsed);
  if (seconds == 0) return "";
  if (seconds < kMinute) return fmt::format("{} s left", seconds);
  if (seconds < 3600) return fmt::format("{} min {} s left", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min left", seconds / 3600, seconds % 3600 / 60);
}

Progress::Progress(std::string label, std::uint64_t total, std::string unit, std::string hint)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      hint_(std::move(hint)),
      total_(total),
      active_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      // Nothing is shown for work that is done within one interval.
      next_(start_ + kInterval) {}

Progress::~Progress() {
  if (active_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!active_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  std::string text = fmt::format("\r\033[K{}: {} {}", label_, done, unit_);
  if (total_ != 0) {
    const std::string left = time_left(done, total_, now - start_);
    text = fmt::format("\r\033[K{}: {} of {} {} ({:.0f} %){}{}", label_, done, total_, unit_,
                       100.0 * static_cast<double>(done) / static_cast<double>(total_),
                       left.empty() ? "" : ", ", left);
  }
  if (!hint_.empty() && is_long(done, total_, now - start_))
    text = fmt::format("\r\033[K{}\n{}", std::exchange(hint_, ""), text);
  std::fputs(text.c_str(), stderr);
}

}  // namespace warpscope
