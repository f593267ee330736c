#include "cachesim/classes/reuse_by_source.h"

namespace warpscope {

void ReuseBySource::process(const CacheBatch& batch, std::span<const Accessor> accessors,
                            std::vector<SourceCounts>& counts) {
  const std::uint64_t place_mask = (std::uint64_t{1} << sector_shift_) - 1;
  for (std::size_t i = 0; i < batch.transactions.size(); ++i) {
    const Transaction transaction = batch.transactions[i];
    const Event event = event_of(batch.events[i]);
    if (event == Event::Bypass || event == Event::PassingMiss || event == Event::PassingSectorMiss) continue;
    const std::uint64_t unit = transaction.line().value(), number = unit >> sector_shift_;
    const Touch now{accessors[i], launch_};
    SourceCounts& here = counts[transaction.origin().value()];
    if (event == Event::Miss && batch.events[i] != pack(event, Victim::None)) {
      const auto victim = lines_.find(batch.victims[i]);
      ++here.evictions[static_cast<std::size_t>(class_of(now, victim->second.last))];
      lines_.erase(victim);
    }
    Line& line = lines_[number];
    Touch& place = line.sectors[unit & place_mask];
    const auto bit = static_cast<std::uint8_t>(1u << (unit & place_mask));
    if (event == Event::Hit || event == Event::RemovingHit)
      ++here.hits[static_cast<std::size_t>(transaction.kind())]
                 [static_cast<std::size_t>(class_of(now, (line.touched & bit) != 0 ? place : line.last))];
    if (event == Event::RemovingHit) {
      ++here.evictions[static_cast<std::size_t>(class_of(now, line.last))];
      lines_.erase(number);
      continue;
    }
    place = line.last = now;
    line.touched |= bit;
  }
}

}  // namespace warpscope
