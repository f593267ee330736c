#include "cachesim/transactions/origin.h"

#include "traces/base/error.h"

namespace warpscope {

const char* name_of(Destination destination) {
  switch (destination) {
    case Destination::L1:
      return "l1";
    case Destination::Bypass:
      return "bypass";
    case Destination::Local:
      return "local";
    case Destination::Constant:
      return "constant";
    case Destination::NoObject:
      return "no_object";
  }
  return "unknown";
}

Destination destination_in(const PlannedDestination& planned, BufferId buffer,
                           std::span<const AddressSpace> space_of_buffer) {
  if (!makes_transactions(planned.elsewhere)) return planned.elsewhere;
  if (buffer.value() == 0 || buffer.value() >= space_of_buffer.size()) return Destination::NoObject;
  switch (space_of_buffer[buffer.value()]) {
    case AddressSpace::Local:
      return Destination::Local;
    case AddressSpace::Constant:
      return Destination::Constant;
    case AddressSpace::Private:
      return planned.in_private;
    default:
      return planned.elsewhere;
  }
}

OriginId OriginTable::id_of(const Origin& origin) {
  const auto found = ids_.find(origin);
  if (found != ids_.end()) return found->second;
  if (origins_.size() == Transaction::kMaxOrigins)
    throw InputError(
        "one launch has more than 65536 pairs of site and buffer, expected fewer; simulate it in parts");
  const OriginId id(static_cast<std::uint16_t>(origins_.size()));
  origins_.push_back(origin);
  ids_.emplace(origin, id);
  return id;
}

void OriginTable::clear() {
  origins_.clear();
  ids_.clear();
}

}  // namespace warpscope
