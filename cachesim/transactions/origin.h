#pragma once
// Whose transaction it is: which site touched which buffer, and where such accesses go.
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "cachesim/transactions/transaction.h"

namespace warpscope {

/// Where the accesses of an origin go. Only the first two make transactions.
enum class Destination : std::uint8_t { L1, Bypass, Local, Constant, NoObject };
constexpr bool makes_transactions(Destination destination) {
  return destination <= Destination::Bypass;
}
/// Where the accesses of a site go: to objects in private memory, and to others. They differ for generic
/// pointers only.
struct PlannedDestination {
  Destination in_private = Destination::L1, elsewhere = Destination::L1;
};
/// Where an access goes that is planned for `planned` and touches `buffer`: the buffer's address space, by
/// the number of the buffer, has the last word. Buffer 0 is none.
Destination destination_in(const PlannedDestination& planned, BufferId buffer,
                           std::span<const AddressSpace> space_of_buffer);
/// "l1", "bypass", "local", "constant", "no_object".
const char* name_of(Destination destination);

struct Origin {
  SiteId site;      ///< site of the launch's kernel; for text streams the stream's own instruction number
  BufferId buffer;  ///< buffer of the first lane of the transaction
  AccessKind kind = AccessKind::Load;
  Destination destination = Destination::L1;
  auto operator<=>(const Origin&) const = default;
};

/// Numbers the origins of one launch by first appearance.
class OriginTable {
 public:
  /// Throws InputError when a launch has more than 2^16 of them.
  OriginId id_of(const Origin& origin);
  [[nodiscard]] std::span<const Origin> origins() const { return origins_; }
  void clear();

 private:
  std::vector<Origin> origins_;
  std::map<Origin, OriginId> ids_;
};

}  // namespace warpscope
