#include "timed/footprint.h"

#include <algorithm>

namespace warpscope::timed {

void Footprint::add_origins(std::span<const Origin> added) {
  for (const Origin& origin : added) buffer_of_.push_back(&buffers_[origin.buffer]);
}

void Footprint::block(const TransactionBlock& block) {
  const std::uint32_t core = block.core.value();
  const bool is_one = some_.has(core);
  for (const Transaction transaction : block.transactions) {
    const std::uint64_t sector = transaction.line().value(), line = sector / sectors_per_line_;
    Buffer& buffer = *buffer_of_[transaction.origin().value()];
    buffer.first_line = std::min(buffer.first_line, line);
    if ((line * 0x9E3779B97F4A7C15u >> 32) % kOneOf != 0) continue;
    touch(lines_, line, core, is_one);
    if (!transaction.is_store()) touch(buffer.loaded, sector, core, is_one);
  }
}

void Footprint::touch(Places& places, std::uint64_t number, std::uint32_t core, bool is_one) const {
  Touched& touched = places.try_emplace(number, Touched{core}).first->second;
  touched.by_some |= is_one;
  if (core == touched.first || core == touched.second) return;
  if (touched.second == Touched::kNone)
    touched.second = core;
  else
    touched.by_more = true;
}

std::vector<FetchedByOthers> Footprint::fetched_by_others() const {
  std::vector<FetchedByOthers> parts;
  for (const auto& [id, buffer] : buffers_)
    if (!buffer.loaded.empty())
      parts.push_back({buffer.first_line, std::max(0.0, 1 - share_of_cores() / share_of(buffer.loaded))});
  std::sort(parts.begin(), parts.end(),
            [](const FetchedByOthers& a, const FetchedByOthers& b) { return a.first_line < b.first_line; });
  return parts;
}

double Footprint::share_of(const Places& places) const {
  if (!has_others_) return share_without_others(places);
  const auto touched =
      std::count_if(places.begin(), places.end(), [](const auto& place) { return place.second.by_some; });
  return touched == 0 ? share_of_cores() : static_cast<double>(touched) / static_cast<double>(places.size());
}

double Footprint::share_without_others(const Places& places) const {
  if (places.empty()) return share_of_cores();
  double alone = 0, twice = 0;
  for (const auto& [number, touched] : places) {
    alone += touched.second == Touched::kNone ? 1 : 0;
    twice += touched.second != Touched::kNone && !touched.by_more ? 1 : 0;
  }
  const auto lines = static_cast<double>(places.size()), cores = static_cast<double>(some_.count());
  const double share = share_of_cores();
  if (alone == 0 || share >= 1) return 1;
  const double with_two = cores < 2 ? 0 : cores / (cores - 1) * 2 * twice;
  return lines / (lines + alone * alone / (with_two + share / (1 - share) * alone));
}

}  // namespace warpscope::timed
