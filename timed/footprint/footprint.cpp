#include "timed/footprint/footprint.h"

#include <algorithm>

namespace warpscope::timed {

Footprint::Footprint(const SampledCores& some, std::uint64_t l1_lines, std::uint64_t l2_lines,
                     std::uint32_t sectors_per_line, bool has_others, bool l2_keeps_content)
    : some_(some),
      l2_lines_(l2_lines),
      sectors_per_line_(sectors_per_line),
      has_others_(has_others),
      l2_keeps_content_(l2_keeps_content),
      order_(l1_lines, sectors_per_line) {}

void Footprint::begin_launch(LaunchId /*launch*/) {
  play();
  buffer_of_.clear();
}

void Footprint::add_origins(std::span<const Origin> added) {
  for (const Origin& origin : added)
    buffer_of_.push_back(&buffers_.try_emplace(origin.buffer, Buffer{origin.buffer.value()}).first->second);
}

void Footprint::block(const TransactionBlock& block) {
  for (const Transaction transaction : block.transactions) {
    const std::uint64_t sector = transaction.line().value();
    Buffer& buffer = *buffer_of_[transaction.origin().value()];
    buffer.first_line = std::min(buffer.first_line, sector / sectors_per_line_);
    buffer.is_loaded |= !transaction.is_store();
    order_.add(block.core.value(), sector, transaction.is_store(), buffer.id);
  }
}

/// How many of the lines that are looked at this part of the L2 has room for.
std::uint32_t Footprint::places(double part) const {
  const double lines = static_cast<double>(l2_lines_) * part / static_cast<double>(order_.one_of());
  return std::max(1u, static_cast<std::uint32_t>(lines));
}

void Footprint::play() {
  const auto& accesses = order_.sorted();
  if (accesses.empty()) return;
  if (!has_others_) {
    play_alone(accesses);
  } else {
    if (!l2_ || l2_one_of_ != order_.one_of()) {
      if (l2_) l2_->end();
      l2_.emplace(some_, places(1), sectors_per_line_, counts_);
      l2_one_of_ = order_.one_of();
    }
    for (const CoresInOrder::Access& access : accesses) l2_->access(access);
    l2_->end_launch();
    if (!l2_keeps_content_) {
      l2_->end();
      l2_.reset();
    }
  }
  order_.clear();
}

/// Each launch from an empty L2, of which the others take their part. How large it is follows from who shares these lines, and that
/// from how long they stay: the second time is with the part that follows from the first.
void Footprint::play_alone(const std::vector<CoresInOrder::Access>& accesses) {
  double part = 1;
  for (const bool is_last : {false, true}) {
    L2Counts counts;
    const auto most = static_cast<std::uint32_t>(accesses.size());
    L2Content l2(some_, std::min(places(part), most), sectors_per_line_, counts);
    for (const CoresInOrder::Access& access : accesses) l2.access(access);
    l2.end_launch();
    l2.end();
    part = share_of(counts.lines);
    if (is_last) counts_ += counts;
  }
}

void Footprint::end() {
  play();
  if (l2_) l2_->end();
}

FetchedByOthers Footprint::fetched(const Buffer& buffer) const {
  FetchedByOthers fetched{buffer.first_line, 0, 1};
  const auto place = counts_.buffers.find(buffer.id);
  if (place == counts_.buffers.end()) return fetched;
  const BufferInL2& found = place->second;
  if (!has_others_)
    fetched.part = std::max(0.0, 1 - share_of_cores() / share_of(found.loaded));
  else if (found.by_others > 0)
    fetched.part = found.by_others / (found.by_others + found.by_some);
  if (found.found != 0) fetched.soon = static_cast<double>(found.soon) / static_cast<double>(found.found);
  return fetched;
}

std::vector<FetchedByOthers> Footprint::fetched_by_others() const {
  std::vector<FetchedByOthers> parts;
  for (const auto& [id, buffer] : buffers_)
    if (buffer.is_loaded) parts.push_back(fetched(buffer));
  std::sort(parts.begin(), parts.end(),
            [](const FetchedByOthers& a, const FetchedByOthers& b) { return a.first_line < b.first_line; });
  return parts;
}

double Footprint::share_of(const Shared& places) const {
  if (!has_others_) return share_without_others(places);
  if (places.all == 0) return share_of_cores();
  return static_cast<double>(places.of_some) / static_cast<double>(places.all);
}

double Footprint::share_without_others(const Shared& places) const {
  if (places.all == 0) return share_of_cores();
  const auto alone = static_cast<double>(places.of_one), twice = static_cast<double>(places.of_two);
  const auto lines = static_cast<double>(places.all), cores = static_cast<double>(some_.count());
  const double share = share_of_cores();
  if (alone == 0 || share >= 1) return 1;
  const double with_two = cores < 2 ? 0 : cores / (cores - 1) * 2 * twice;
  return lines / (lines + alone * alone / (with_two + share / (1 - share) * alone));
}

}  // namespace warpscope::timed
