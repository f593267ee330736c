#pragma once
// Where the memory objects of a launch live in this process, for one host thread, and the way back from an
// address of this process to a location that means the same on every machine.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/RuntimeABI.h"
#include "traces/base/types.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

/// A memory object that a kernel may access. Id 0: none (scalar arguments).
struct TracedObject {
  BufferId id;
  std::uint64_t size = 0;  ///< bytes; private objects: per work-item
  AddressSpace space = AddressSpace::Global;
  std::uint64_t offset = 0;  ///< bytes from the buffer's start: arguments that are sub-buffers
};

/// An object and the address where it lives now.
struct PlacedObject {
  std::uint64_t base = 0;  ///< 0 = not known yet
  std::uint64_t size = 0;
  BufferId id;
  std::uint64_t offset = 0;  ///< offset of `base` from the buffer's start

  [[nodiscard]] bool contains(std::uint64_t first, std::uint64_t end) const {
    return base != 0 && first >= base && end >= first && end - base <= size;
  }
  /// The location of an address inside the object.
  [[nodiscard]] std::uint64_t key(std::uint64_t address) const {
    return BufferAddr(id, address - base + offset).key();
  }
};

class ObjectMap {
 public:
  /// `arguments[i]` belongs to kernel argument i, `objects[i]` to KernelInfo::objects[i]. `others`: memory
  /// that the kernel may reach by an address that it finds in a buffer.
  ObjectMap(const std::vector<TracedObject>& arguments, const std::vector<TracedObject>& objects,
            std::uint32_t items, std::vector<PlacedObject> others = {});

  /// As WarpscopeAbiV2::object. Called by every work-item, mostly with what is known already.
  void place(std::uint32_t kind, std::uint32_t index, std::uint64_t address, std::uint32_t item) {
    const std::uint32_t flat = kind == 0 ? index : arguments_ + index;
    if (flat >= placed_.size()) return;
    if (private_column_[flat] != kShared)
      place_private(private_column_[flat] * std::size_t{items_}, address, item);
    else if (placed_[flat].base != address)
      move(flat, address);
  }

  /// The object that holds all of [first, end), as work-item `item` sees it; with a static object known, only
  /// that one counts, so that running over its end is found even where another buffer happens to follow. id 0
  /// = none.
  [[nodiscard]] PlacedObject find(const StaticObject& known, std::uint64_t first, std::uint64_t end,
                                  std::uint32_t item);

  /// The object that all work-items share and that holds all of [first, end). id 0 = none.
  [[nodiscard]] PlacedObject find_shared(std::uint64_t first, std::uint64_t end) {
    if (!sorted_ || first < from_ || first >= to_) find_next_to(first);
    return last_ < by_address_.size() && by_address_[last_].contains(first, end) ? by_address_[last_]
                                                                                 : PlacedObject{};
  }

  /// What find() takes for every work-item, if that is one object: a static one that work-items share. base 0
  /// otherwise.
  [[nodiscard]] PlacedObject shared(const StaticObject& known) const {
    if (known.kind == StaticObject::Kind::Unknown) return {};
    const std::uint32_t flat =
        known.kind == StaticObject::Kind::Argument ? known.index : arguments_ + known.index;
    return flat < placed_.size() && private_column_[flat] == kShared ? placed_[flat] : PlacedObject{};
  }

  /// The address of a static object for work-item `item`; base 0 = not known. Safe in a signal handler.
  [[nodiscard]] PlacedObject place_of(const StaticObject& known, std::uint32_t item) const;

  /// How often an object that work-items share was placed elsewhere than before.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }

  /// Where argument `index` was placed; 0 = not placed yet.
  [[nodiscard]] std::uint64_t argument_base(std::size_t index) const { return placed_[index].base; }

 private:
  static constexpr std::uint32_t kShared = ~std::uint32_t{0};

  void place_private(std::size_t column, std::uint64_t address, std::uint32_t item) {
    const auto begin = private_base_.begin() + static_cast<std::ptrdiff_t>(column);
    if (item == WARPSCOPE_ALL_ITEMS)
      std::fill(begin, begin + items_, address);
    else
      begin[item] = address;
  }
  void move(std::uint32_t flat, std::uint64_t address);
  [[nodiscard]] PlacedObject at(std::uint32_t flat, std::uint32_t item) const;
  void remove_nested();
  void find_next_to(std::uint64_t first);
  [[nodiscard]] PlacedObject search(std::uint64_t first, std::uint64_t end, std::uint32_t item);

  std::uint32_t arguments_;
  std::uint32_t items_;
  std::vector<PlacedObject> placed_;           ///< arguments, then objects
  std::vector<std::uint32_t> private_column_;  ///< per placed object: its column in private_base_, or kShared
  std::vector<std::uint64_t> private_base_;    ///< column-major: an address per work-item
  std::vector<PlacedObject> others_;
  std::vector<PlacedObject> by_address_;  ///< shared objects in address order
  bool sorted_ = false;
  /// Of all addresses from `from_` to `to_`: the place in by_address_ of the object that begins there or before; behind its end: there is none.
  std::size_t last_ = 0;
  std::uint64_t from_ = 0, to_ = 0;
  std::uint64_t moves_ = 0;
};

}  // namespace warpscope
