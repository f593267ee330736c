#include "timed/footprint.h"

#include <algorithm>

namespace warpscope::timed {

void Footprint::block(const TransactionBlock& block) {
  const std::uint32_t core = block.core.value();
  const bool is_one = some_.has(core);
  for (const Transaction transaction : block.transactions) {
    const std::uint64_t line = transaction.line().value();
    if ((line * 0x9E3779B97F4A7C15u >> 32) % kOneOf != 0) continue;
    Touched& touched = lines_.try_emplace(line, Touched{core}).first->second;
    touched.by_some |= is_one;
    if (core == touched.first || core == touched.second) continue;
    if (touched.second == Touched::kNone)
      touched.second = core;
    else
      touched.by_more = true;
  }
}

double Footprint::share() const {
  const auto touched =
      std::count_if(lines_.begin(), lines_.end(), [](const auto& line) { return line.second.by_some; });
  return touched == 0 ? share_of_cores() : static_cast<double>(touched) / static_cast<double>(lines_.size());
}

double Footprint::share_without_others() const {
  if (lines_.empty()) return share_of_cores();
  double alone = 0, twice = 0;
  for (const auto& [line, touched] : lines_) {
    alone += touched.second == Touched::kNone ? 1 : 0;
    twice += touched.second != Touched::kNone && !touched.by_more ? 1 : 0;
  }
  const auto lines = static_cast<double>(lines_.size()), cores = static_cast<double>(some_.count());
  const double share = share_of_cores();
  if (alone == 0 || share >= 1) return 1;
  const double with_two = cores < 2 ? 0 : cores / (cores - 1) * 2 * twice;
  return lines / (lines + alone * alone / (with_two + share / (1 - share) * alone));
}

}  // namespace warpscope::timed
