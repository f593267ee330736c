#include "cachesim/reuse_distance.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace warpscope {
namespace {

constexpr int kInitialSlotBits = 10;
constexpr std::uint64_t kInitialTimes = 1u << 16;
}  // namespace

void ReuseDistance::clear() {
  slots_ = decltype(slots_)(std::size_t{1} << kInitialSlotBits);
  shift_ = 64 - kInitialSlotBits;
  known_ = 0;
  now_ = 0;
  times_ = kInitialTimes;
  holes_.reset(times_);
}

std::uint64_t ReuseDistance::touch(LineAddr line) {
  if (now_ == times_) renumber();
  const std::uint64_t key = line.value() + 1;
  std::size_t at = home(line.value());
  while (slots_[at].line_plus_one != key) {
    if (slots_[at].line_plus_one == 0) {
      slots_[at] = {key, static_cast<std::uint32_t>(now_++)};
      if (++known_ * 8 > slots_.size() * 7) grow_slots();
      return kCold;
    }
    at = (at + 1) & (slots_.size() - 1);
  }
  const std::uint32_t last = std::exchange(slots_[at].time, static_cast<std::uint32_t>(now_++));
  return known_ - (std::uint64_t{last} + 1 - holes_.count_and_mark(last));
}

void ReuseDistance::renumber() {
  if (known_ >= HoleCounter::kMaxTimes / 2)
    throw std::length_error("reuse distances: more than 2^31 distinct lines on one core");
  for (Slot& slot : slots_)
    if (slot.line_plus_one != 0) slot.time -= static_cast<std::uint32_t>(holes_.count(slot.time));
  now_ = known_;
  while (times_ < known_ * 4 && times_ < HoleCounter::kMaxTimes) times_ *= 2;
  holes_.reset(times_);
}

void ReuseDistance::grow_slots() {
  const auto old = std::exchange(slots_, decltype(slots_)(slots_.size() * 2));
  --shift_;
  for (const Slot& entry : old) {
    if (entry.line_plus_one == 0) continue;
    std::size_t at = home(entry.line_plus_one - 1);
    while (slots_[at].line_plus_one != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = entry;
  }
}

}  // namespace warpscope
