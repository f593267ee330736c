#include "scheduler/policies/ready_set.h"

namespace warpscope {

ReadySet::ReadySet(std::uint32_t size) : capacity_(size), position_(size) {
  std::size_t bits = size;
  do {
    bits = (bits + 63) / 64;
    levels_.emplace_back(bits, 0);
  } while (bits > 1);
  lowest_ = levels_.front().data();
}

void ReadySet::insert(WarpIndex index) {
  position_[index] = this->size();
  members_.push_back(index);
  std::size_t bit = index;
  for (auto& level : levels_) {
    std::uint64_t& word = level[bit >> 6];
    const bool was_empty = word == 0;
    word |= std::uint64_t{1} << (bit & 63);
    if (!was_empty) return;
    bit >>= 6;
  }
}

void ReadySet::erase(WarpIndex index) {
  const WarpIndex last = members_.back();
  members_[position_[index]] = last;
  position_[last] = position_[index];
  members_.pop_back();
  std::size_t bit = index;
  for (auto& level : levels_) {
    std::uint64_t& word = level[bit >> 6];
    word &= ~(std::uint64_t{1} << (bit & 63));
    if (word != 0) return;
    bit >>= 6;
  }
}

WarpIndex ReadySet::next_behind(WarpIndex from) const {
  const WarpIndex found = from < capacity_ ? find_from(from) : kNone;
  return found != kNone ? found : find_from(0);
}

WarpIndex ReadySet::find_from(WarpIndex from) const {
  std::size_t bit = from;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::size_t word = bit >> 6;
    if (word >= levels_[level].size()) return kNone;
    const std::uint64_t rest = levels_[level][word] >> (bit & 63);
    if (rest != 0) {
      bit += static_cast<std::size_t>(std::countr_zero(rest));
      while (level-- > 0) bit = (bit << 6) + static_cast<std::size_t>(std::countr_zero(levels_[level][bit]));
      return static_cast<WarpIndex>(bit);
    }
    bit = word + 1;
  }
  return kNone;
}

}  // namespace warpscope
