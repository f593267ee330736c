#include "cachesim/reuse_distance.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace warpscope {
namespace {

constexpr int kInitialSlotBits = 10;
constexpr std::uint64_t kInitialTimes = 1u << 16;
constexpr std::uint64_t kMaxTimes = std::uint64_t{1} << 32;  // a time has 32 bits

/// Bits set in a word. Written out because x86-64 without extensions has no instruction for it and the
/// library calls.
constexpr std::uint32_t count_bits(std::uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555ull;
  word = (word & 0x3333333333333333ull) + ((word >> 2) & 0x3333333333333333ull);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return static_cast<std::uint32_t>((word * 0x0101010101010101ull) >> 56);
}

}  // namespace

void ReuseDistance::clear() {
  slots_.assign(std::size_t{1} << kInitialSlotBits, Slot{});
  slots_.shrink_to_fit();
  shift_ = 64 - kInitialSlotBits;
  known_ = 0;
  now_ = 0;
  set_times(kInitialTimes);
}

void ReuseDistance::set_times(std::uint64_t times) {
  times_ = times;
  holes_.assign(times / 64, 0);
  hole_tree_.assign(times / 64 + 1, 0);
}

void ReuseDistance::prefetch(LineAddr line) const {
  __builtin_prefetch(&slots_[home(line.value())]);
}

std::uint64_t ReuseDistance::holes_up_to(std::uint32_t time) const {
  std::uint64_t holes = count_bits(holes_[time / 64] << (63 - time % 64));
  for (std::uint32_t word = time / 64; word > 0; word &= word - 1) holes += hole_tree_[word];
  return holes;
}

void ReuseDistance::make_hole(std::uint32_t time) {
  holes_[time / 64] |= std::uint64_t{1} << (time % 64);
  const std::size_t words = holes_.size();
  for (std::size_t word = time / 64 + 1; word <= words; word += word & (~word + 1)) ++hole_tree_[word];
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
  const std::uint64_t distance = known_ - (std::uint64_t{last} + 1 - holes_up_to(last));
  make_hole(last);
  return distance;
}

void ReuseDistance::renumber() {
  if (known_ >= kMaxTimes / 2)
    throw std::length_error("reuse distances: more than 2^31 distinct lines on one core");
  for (Slot& slot : slots_)
    if (slot.line_plus_one != 0) slot.time -= static_cast<std::uint32_t>(holes_up_to(slot.time));
  now_ = known_;
  std::uint64_t times = times_;
  while (times < known_ * 4 && times < kMaxTimes) times *= 2;
  set_times(times);
}

void ReuseDistance::grow_slots() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  --shift_;
  for (const Slot& entry : old) {
    if (entry.line_plus_one == 0) continue;
    std::size_t at = home(entry.line_plus_one - 1);
    while (slots_[at].line_plus_one != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = entry;
  }
}

}  // namespace warpscope
