#include "traces/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace warpscope {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(std::string label, std::uint64_t total, std::string unit)
    : label_(std::move(label)), unit_(std::move(unit)), total_(total), active_(::isatty(STDERR_FILENO) == 1) {
  // Nothing is shown for work that is done within one interval.
  next_ = std::chrono::steady_clock::now() + kInterval;
}

Progress::~Progress() {
  if (active_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!active_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  const std::string text =
      total_ == 0 ? fmt::format("\r\033[K{}: {} {}", label_, done, unit_)
                  : fmt::format("\r\033[K{}: {} of {} {} ({:.0f} %)", label_, done, total_, unit_,
                                100.0 * static_cast<double>(done) / static_cast<double>(total_));
  std::fputs(text.c_str(), stderr);
}

}  // namespace warpscope
