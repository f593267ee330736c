#include "cachesim/reuse_distance.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace warpscope {
namespace {

constexpr std::uint64_t kInitialTimes = 1u << 16;
constexpr std::size_t kSmallTable = std::size_t{1} << 24;  ///< entries; below, nobody minds empty ones
constexpr std::size_t kMostPerLine = 8;                    ///< entries, in a larger table

}  // namespace

void ReuseDistance::clear() {
  numbers_ = LineNumbers(kNeighbourBits.front());
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
  std::array<std::size_t, kBlock> number;
  const auto find = [&] {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      number[i] = numbers_.number(lines[i]);
      if (number[i] < last_.size()) __builtin_prefetch(&last_[number[i]], 1);
    }
  };
  find();
  while (last_.size() < numbers_.size() && add_entries()) find();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint32_t time = last_[number[i]];
    if (time != kNever) holes_.prefetch(time);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) distances[i] = touch_entry(last_[number[i]]);
}

// For the numbers that are new. True when the lines got other numbers, because most entries would be empty.
bool ReuseDistance::add_entries() {
  const std::size_t needed = numbers_.size();
  if (needed <= std::max(kSmallTable, known_ * kMostPerLine) ||
      numbers_.neighbour_bits() == kNeighbourBits.back()) {
    last_.resize(needed, kNever);
    return false;
  }
  LineNumbers smaller(*std::find_if(kNeighbourBits.begin(), kNeighbourBits.end(),
                                    [&](int bits) { return bits < numbers_.neighbour_bits(); }));
  decltype(last_) last;
  numbers_.for_each([&](LineAddr line, std::size_t number) {
    if (number >= last_.size() || last_[number] == kNever) return;
    const std::size_t moved = smaller.number(line);
    if (last.size() < smaller.size()) last.resize(smaller.size(), kNever);
    last[moved] = last_[number];
  });
  numbers_ = std::move(smaller);
  last_ = std::move(last);
  return true;
}

std::uint64_t ReuseDistance::touch_entry(std::uint32_t& entry) {
  if (now_ == times_) renumber();
  const std::uint32_t last = std::exchange(entry, static_cast<std::uint32_t>(now_++));
  if (last == kNever) {
    ++known_;
    return kCold;
  }
  return known_ - (std::uint64_t{last} + 1 - holes_.count_and_mark(last));
}

void ReuseDistance::renumber() {
  if (known_ >= HoleCounter::kMaxTimes / 2)
    throw std::length_error("reuse distances: more than 2^30 distinct lines on one core");
  // Neighbouring lines have scattered times, so what counts them is fetched some lines ahead.
  constexpr std::size_t kAhead = 32;
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const std::uint32_t ahead = last_[std::min(i + kAhead, last_.size() - 1)];
    if (ahead != kNever) holes_.prefetch(ahead);
    if (last_[i] != kNever) last_[i] -= static_cast<std::uint32_t>(holes_.count(last_[i]));
  }
  now_ = known_;
  while (times_ < known_ * 4 && times_ < HoleCounter::kMaxTimes) times_ *= 2;
  holes_.reset(times_);
}

}  // namespace warpscope
