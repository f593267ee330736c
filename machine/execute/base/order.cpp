#include "machine/execute/base/order.h"

namespace warpscope::machine {

std::vector<OrderDependence> OrderNotes::list() const {
  std::vector<OrderDependence> all;
  for (std::uint32_t place = 0; place < causes_.size(); ++place)
    for (unsigned cause = 0; cause <= static_cast<unsigned>(OrderCause::Wait); ++cause)
      if ((causes_[place] >> cause & 1) != 0) all.push_back({place, static_cast<OrderCause>(cause)});
  return all;
}

std::uint32_t* Writers::of(std::uint64_t address) const {
  const auto found = words_.find(address);
  return found == words_.end() ? nullptr : found->second.get();
}

std::uint32_t* Writers::begin(std::uint64_t address, std::uint64_t bytes) {
  const auto [place, is_new] = words_.try_emplace(address);
  if (!is_new) return place->second.get();
  // An access of 16 bytes at the end of the allocation may reach behind its last whole word.
  const std::uint64_t words = bytes / 4 + 4;
  if (words * 4 > kMostBytes - bytes_) return nullptr;
  bytes_ += words * 4;
  place->second = zeroed_words(words);
  return place->second.get();
}

}  // namespace warpscope::machine
