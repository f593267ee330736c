#include "cachesim/line_marks.h"

#include <utility>

namespace warpscope {
namespace {

constexpr int kInitialBits = 6;

}  // namespace

void LineMarks::clear() {
  pages_.clear();
  slots_.assign(std::size_t{1} << kInitialBits, Slot{});
  shift_ = 64 - kInitialBits;
}

/// A new page for `number`, whose free slot is `slot`.
std::uint32_t LineMarks::add(std::uint64_t number, std::size_t slot) {
  const auto page = static_cast<std::uint32_t>(pages_.size());
  slots_[slot] = {number, page};
  pages_.emplace_back();
  if (pages_.size() * 2 > slots_.size()) grow();
  return page;
}

void LineMarks::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  --shift_;
  for (const Slot& entry : old) {
    if (entry.number == kNoNumber) continue;
    std::size_t slot = home(entry.number);
    while (slots_[slot].number != kNoNumber) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = entry;
  }
}

}  // namespace warpscope
