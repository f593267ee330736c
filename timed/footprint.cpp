#include "timed/footprint.h"

#include <algorithm>

namespace warpscope::timed {

void Footprint::block(const TransactionBlock& block) {
  const std::uint32_t core = block.core.value();
  const bool is_one = some_.has(core);
  for (const Transaction transaction : block.transactions) {
    const std::uint64_t line = transaction.line().value();
    if ((line * 0x9E3779B97F4A7C15u >> 32) % kOneOf != 0) continue;
    Touched& touched = lines_.try_emplace(line, Touched{core, false, false}).first->second;
    touched.by_some |= is_one;
    touched.by_several |= core != touched.first;
  }
}

double Footprint::share() const {
  const auto touched =
      std::count_if(lines_.begin(), lines_.end(), [](const auto& line) { return line.second.by_some; });
  return touched == 0 ? share_of_cores() : static_cast<double>(touched) / static_cast<double>(lines_.size());
}

double Footprint::share_without_others() const {
  const auto alone =
      std::count_if(lines_.begin(), lines_.end(), [](const auto& line) { return !line.second.by_several; });
  if (lines_.empty()) return share_of_cores();
  const auto lines = static_cast<double>(lines_.size());
  return lines / (lines + (1 / share_of_cores() - 1) * static_cast<double>(alone));
}

}  // namespace warpscope::timed
