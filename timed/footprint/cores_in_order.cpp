#include "timed/footprint/cores_in_order.h"

#include <algorithm>
#include <tuple>

namespace warpscope::timed {
namespace {

constexpr std::uint64_t hashed(std::uint64_t number) {
  return number * 0x9E3779B97F4A7C15u >> 32;
}

}  // namespace

bool CoresInOrder::looks_at(std::uint64_t sector) const {
  return hashed(sector / sectors_per_line_) % one_of_ == 0;
}

void CoresInOrder::add(std::uint32_t core, std::uint64_t sector, bool is_store, std::uint32_t buffer) {
  if (core >= cores_.size()) cores_.resize(core + 1);
  Core& here = cores_[core];
  const std::uint64_t time = here.time++;
  if (!looks_at(sector)) return;
  if (!is_store && l1_lines_ != 0 && l1_hits(here, sector)) return;
  if (accesses_.size() == kMostAccesses) look_at_fewer();
  accesses_.push_back({sector, time, core, buffer, is_store});
}

/// A load; what it does not find comes in.
bool CoresInOrder::l1_hits(Core& core, std::uint64_t sector) const {
  if (!core.l1)
    core.l1.emplace(1u, static_cast<std::uint32_t>(std::max<std::uint64_t>(1, l1_lines_ / one_of_)));
  LruLists& l1 = *core.l1;
  const std::uint64_t line = sector / sectors_per_line_;
  const auto mask = static_cast<std::uint8_t>(1u << sector % sectors_per_line_);
  LruLists::Node place = l1.find(line);
  if (place == LruLists::kNone) {
    place = l1.oldest(0);
    l1.replace(0, place, line, 0, 0);
  } else {
    l1.touch(0, place);
  }
  const bool hits = (l1.sectors(place) & mask) != 0;
  l1.sectors(place) |= mask;
  return hits;
}

/// At half as many lines. The L1s begin empty again.
void CoresInOrder::look_at_fewer() {
  one_of_ *= 2;
  std::erase_if(accesses_, [&](const Access& one) { return !looks_at(one.sector); });
  for (Core& core : cores_) core.l1.reset();
}

const std::vector<CoresInOrder::Access>& CoresInOrder::sorted() {
  const auto key = [](const Access& one) {
    return std::tuple(one.time, hashed(one.core ^ one.sector << 16), one.core);
  };
  std::stable_sort(accesses_.begin(), accesses_.end(),
                   [&](const Access& a, const Access& b) { return key(a) < key(b); });
  return accesses_;
}

void CoresInOrder::clear() {
  accesses_.clear();
  cores_.clear();
}

}  // namespace warpscope::timed
