#include "cachesim/classes/reuse_distance.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace warpscope {
namespace {

constexpr std::uint64_t kInitialTimes = 1u << 16;

}  // namespace

void ReuseDistance::clear() {
  last_.clear();
  known_ = 0;
  now_ = 0;
  times_ = kInitialTimes;
  holes_.reset(times_);
}

void ReuseDistance::touch(std::span<const LineAddr> lines, std::span<std::uint64_t> distances) {
  for (std::size_t at = 0; at < lines.size(); at += kBlock)
    touch_block(lines.subspan(at, std::min(kBlock, lines.size() - at)), &distances[at]);
}

// Three passes, so that the host's memory serves many lines at once: where each line's entry is; what time is
// in it, which says where its hole will be; and only then, one after the other, what changes the tables.
void ReuseDistance::touch_block(std::span<const LineAddr> lines, std::uint64_t* distances) {
  std::array<std::uint32_t, kBlock> places;
  last_.find(lines, places.data(), [](LineAddr line) { return line; });
  const std::span<std::uint32_t> last = last_.all();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint32_t time = last[places[i]];
    if (time != kNever) holes_.prefetch(time - 1);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) distances[i] = touch_entry(last[places[i]]);
}

std::uint64_t ReuseDistance::touch_entry(std::uint32_t& entry) {
  if (now_ == times_) renumber();
  const std::uint32_t last = std::exchange(entry, static_cast<std::uint32_t>(++now_));
  if (last == kNever) {
    ++known_;
    return kCold;
  }
  return known_ - (last - holes_.count_and_mark(last - 1));
}

void ReuseDistance::renumber() {
  if (known_ >= HoleCounter::kMaxTimes / 2)
    throw std::length_error("reuse distances: more than 2^30 distinct lines on one core");
  // Neighbouring lines have scattered times, so what counts them is fetched some lines ahead.
  constexpr std::size_t kAhead = 32;
  const std::span<std::uint32_t> last = last_.all();
  for (std::size_t i = 0; i < last.size(); ++i) {
    const std::uint32_t ahead = last[std::min(i + kAhead, last.size() - 1)];
    if (ahead != kNever) holes_.prefetch(ahead - 1);
    if (last[i] != kNever) last[i] -= static_cast<std::uint32_t>(holes_.count(last[i] - 1));
  }
  now_ = known_;
  while (times_ < known_ * 4 && times_ < HoleCounter::kMaxTimes) times_ *= 2;
  holes_.reset(times_);
}

}  // namespace warpscope
