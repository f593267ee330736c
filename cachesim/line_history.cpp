#include "cachesim/line_history.h"

#include <limits>
#include <utility>

#include "traces/error.h"

namespace warpscope {
namespace {

constexpr int kInitialBits = 6;

}  // namespace

void LineHistory::clear() {
  times_.clear();
  slots_.assign(std::size_t{1} << kInitialBits, Slot{});
  bits_ = kInitialBits;
}

// The members are copied because the compiler has to assume that writing to `places` changes them.
void LineHistory::find(std::span<const Transaction> transactions, std::uint32_t* places) {
  const Slot* slots = slots_.data();
  const Time* times = times_.data();
  int bits = bits_;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const std::uint64_t line = transactions[i].line().value(), page = line >> kPageBits;
    const Slot& slot = slots[home(page, bits)];
    std::uint32_t first = slot.first;
    if (slot.page != page) [[unlikely]] {
      first = find_or_add(page);
      slots = slots_.data();
      times = times_.data();
      bits = bits_;
    }
    places[i] = first | (static_cast<std::uint32_t>(line) & ((1u << kPageBits) - 1));
    __builtin_prefetch(times + places[i], 1);
  }
}

std::uint32_t LineHistory::find_or_add(std::uint64_t page) {
  std::size_t slot = home(page, bits_);
  while (slots_[slot].page != page) {
    if (slots_[slot].page == kNoPage) return add(page, slot);
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slots_[slot].first;
}

/// A new page, whose free slot is `slot`. Returns the place of its first line.
std::uint32_t LineHistory::add(std::uint64_t page, std::size_t slot) {
  constexpr std::size_t kPage = std::size_t{1} << kPageBits;
  if (times_.size() > std::numeric_limits<std::uint32_t>::max() - kPage)
    throw InputError(
        "more than 4 billion lines in one launch, expected fewer; --no-classes needs no table of them");
  const auto first = static_cast<std::uint32_t>(times_.size());
  slots_[slot] = {page, first};
  times_.resize(times_.size() + kPage);
  if (times_.size() / kPage * 4 > slots_.size()) grow();
  return first;
}

void LineHistory::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  ++bits_;
  for (const Slot& entry : old) {
    if (entry.page == kNoPage) continue;
    std::size_t slot = home(entry.page, bits_);
    while (slots_[slot].page != kNoPage) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = entry;
  }
}

}  // namespace warpscope
