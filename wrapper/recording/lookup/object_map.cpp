#include "wrapper/recording/lookup/object_map.h"

#include <algorithm>
#include <utility>

namespace warpscope {

ObjectMap::ObjectMap(const std::vector<TracedObject>& arguments, const std::vector<TracedObject>& objects,
                     std::uint32_t items, std::vector<PlacedObject> others)
    : arguments_(static_cast<std::uint32_t>(arguments.size())), items_(items), others_(std::move(others)) {
  std::uint32_t columns = 0;
  const auto add = [&](const TracedObject& object) {
    placed_.push_back({0, object.size, object.id, object.offset});
    private_column_.push_back(object.space == AddressSpace::Private && object.id.value() != 0 ? columns++
                                                                                              : kShared);
  };
  for (const TracedObject& argument : arguments) add(argument);
  for (const TracedObject& object : objects) add(object);
  private_base_.assign(std::size_t{columns} * items, 0);
}

void ObjectMap::move(std::uint32_t flat, std::uint64_t address) {
  placed_[flat].base = address;
  sorted_ = false;
  ++moves_;
}

PlacedObject ObjectMap::at(std::uint32_t flat, std::uint32_t item) const {
  PlacedObject object = placed_[flat];
  if (private_column_[flat] != kShared)
    object.base = private_base_[private_column_[flat] * std::size_t{items_} + item];
  return object;
}

PlacedObject ObjectMap::place_of(const StaticObject& known, std::uint32_t item) const {
  if (known.kind == StaticObject::Kind::Unknown) return {};
  const std::uint32_t flat =
      known.kind == StaticObject::Kind::Argument ? known.index : arguments_ + known.index;
  return flat < placed_.size() ? at(flat, item) : PlacedObject{};
}

PlacedObject ObjectMap::find(const StaticObject& known, std::uint64_t first, std::uint64_t end,
                             std::uint32_t item) {
  if (known.kind == StaticObject::Kind::Unknown) return search(first, end, item);
  const std::uint32_t flat =
      known.kind == StaticObject::Kind::Argument ? known.index : arguments_ + known.index;
  if (flat >= placed_.size()) return search(first, end, item);
  const PlacedObject object = at(flat, item);
  if (object.base == 0) return search(first, end, item);
  return object.contains(first, end) ? object : PlacedObject{};
}

// A sub-buffer is inside its buffer, which says the same about an address.
void ObjectMap::remove_nested() {
  std::vector<PlacedObject> kept;
  for (const PlacedObject& object : by_address_) {
    while (!kept.empty() && object.contains(kept.back().base, kept.back().base + kept.back().size))
      kept.pop_back();
    if (kept.empty() || !kept.back().contains(object.base, object.base + object.size)) kept.push_back(object);
  }
  by_address_ = std::move(kept);
}

void ObjectMap::find_next_to(std::uint64_t first) {
  if (!sorted_) {
    by_address_ = others_;
    for (std::size_t flat = 0; flat < placed_.size(); ++flat)
      if (private_column_[flat] == kShared && placed_[flat].base != 0 && placed_[flat].id.value() != 0)
        by_address_.push_back(placed_[flat]);
    // Arguments with equal bases are one buffer passed twice, or it and its sub-buffer: the larger comes
    // last.
    std::sort(by_address_.begin(), by_address_.end(), [](const PlacedObject& a, const PlacedObject& b) {
      if (a.base != b.base) return a.base < b.base;
      return a.size != b.size ? a.size < b.size : a.id < b.id;
    });
    remove_nested();
    sorted_ = true;
  }
  auto after =
      std::upper_bound(by_address_.begin(), by_address_.end(), first,
                       [](std::uint64_t address, const PlacedObject& o) { return address < o.base; });
  const bool is_first = after == by_address_.begin();
  last_ = is_first ? by_address_.size() : static_cast<std::size_t>(after - by_address_.begin()) - 1;
  from_ = is_first ? 0 : by_address_[last_].base;
  to_ = after == by_address_.end() ? ~std::uint64_t{0} : after->base;
}

PlacedObject ObjectMap::search(std::uint64_t first, std::uint64_t end, std::uint32_t item) {
  if (const PlacedObject shared = find_shared(first, end); shared.id.value() != 0) return shared;
  for (std::uint32_t flat = 0; flat < placed_.size(); ++flat) {
    if (private_column_[flat] == kShared) continue;
    const PlacedObject object = at(flat, item);
    if (object.contains(first, end)) return object;
  }
  return {};
}

}  // namespace warpscope
