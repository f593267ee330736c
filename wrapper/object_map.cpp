#include "wrapper/object_map.h"

#include <algorithm>

namespace warpscope {

ObjectMap::ObjectMap(const std::vector<TracedObject>& arguments, const std::vector<TracedObject>& objects,
                     std::uint32_t items)
    : arguments_(static_cast<std::uint32_t>(arguments.size())), items_(items) {
  std::uint32_t columns = 0;
  const auto add = [&](const TracedObject& object) {
    placed_.push_back({0, object.size, object.id});
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
}

PlacedObject ObjectMap::at(std::uint32_t flat, std::uint32_t item) const {
  PlacedObject object = placed_[flat];
  if (private_column_[flat] != kShared)
    object.base = private_base_[private_column_[flat] * std::size_t{items_} + item];
  return object;
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

PlacedObject ObjectMap::search(std::uint64_t first, std::uint64_t end, std::uint32_t item) {
  if (!sorted_) {
    by_address_.clear();
    for (std::size_t flat = 0; flat < placed_.size(); ++flat)
      if (private_column_[flat] == kShared && placed_[flat].base != 0 && placed_[flat].id.value() != 0)
        by_address_.push_back(placed_[flat]);
    // Arguments with equal bases are one buffer passed twice and have one id.
    std::sort(by_address_.begin(), by_address_.end(), [](const PlacedObject& a, const PlacedObject& b) {
      return a.base != b.base ? a.base < b.base : a.id < b.id;
    });
    sorted_ = true;
  }
  auto after =
      std::upper_bound(by_address_.begin(), by_address_.end(), first,
                       [](std::uint64_t address, const PlacedObject& o) { return address < o.base; });
  if (after != by_address_.begin() && std::prev(after)->contains(first, end)) return *std::prev(after);
  for (std::uint32_t flat = 0; flat < placed_.size(); ++flat) {
    if (private_column_[flat] == kShared) continue;
    const PlacedObject object = at(flat, item);
    if (object.contains(first, end)) return object;
  }
  return {};
}

}  // namespace warpscope
