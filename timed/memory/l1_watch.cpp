#include "timed/memory/l1_watch.h"

namespace warpscope::timed {

L1Watch::L1Watch(std::size_t units) : owners_(units, LineTable(1024)) {}

void L1Watch::looked_up(std::size_t unit, std::uint32_t warp, LineAddr line, const L1Outcome& outcome) {
  LineTable& owners = owners_[unit];
  if (outcome.miss != 0) events_.push_back({L1Event::Kind::Missed, warp, line});
  if (outcome.evicted) evicted(owners, outcome.victim);
  if (outcome.miss == 0) return;
  if (owners.find(line.value()) != LineTable::kNone) owners.erase(line.value());
  owners.insert(line.value(), warp);
}

void L1Watch::filled(std::size_t unit, const L1Outcome& outcome) {
  if (outcome.evicted) evicted(owners_[unit], outcome.victim);
}

void L1Watch::evicted(LineTable& owners, LineAddr victim) {
  const std::uint32_t owner = owners.find(victim.value());
  if (owner == LineTable::kNone) return;
  owners.erase(victim.value());
  events_.push_back({L1Event::Kind::Evicted, owner, victim});
}

}  // namespace warpscope::timed
