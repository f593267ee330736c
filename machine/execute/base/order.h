#pragma once
// Why a launch may do something else in another run on a GPU: instructions whose values depend on the order or the time of warps.
#include <cstdint>
#include <map>
#include <vector>

#include "machine/execute/base/zeroed_words.h"

namespace warpscope::machine {

enum class OrderCause : std::uint8_t {
  Clock,   ///< reads a clock
  Core,    ///< reads on which core or in which slot the warp is (%smid, %warpid)
  Atomic,  ///< has what memory held before an atomic, in a register
  Others,  ///< reads global memory that another work-group of the launch wrote
  Wait,    ///< read an unchanged value in a loop, until others changed it
};

struct OrderDependence {
  std::uint32_t place = 0;  ///< number of the instruction
  OrderCause cause = OrderCause::Clock;
  bool operator==(const OrderDependence&) const = default;
};

/// Of the instructions of a launch.
class OrderNotes {
 public:
  explicit OrderNotes(std::size_t instructions) : causes_(instructions) {}
  /// Instruction `place` was executed, and depended on the order.
  void add(std::uint32_t place, OrderCause cause) {
    causes_[place] = static_cast<std::uint8_t>(causes_[place] | 1U << static_cast<unsigned>(cause));
  }
  /// Those of the same launch, too.
  void add(const OrderNotes& others) {
    for (std::size_t place = 0; place < causes_.size(); ++place)
      causes_[place] = static_cast<std::uint8_t>(causes_[place] | others.causes_[place]);
  }
  /// Each once, by their places.
  [[nodiscard]] std::vector<OrderDependence> list() const;

 private:
  std::vector<std::uint8_t> causes_;  ///< bit by cause
};

/// Which work-group wrote each word of global memory last. Bytes and halves that are stored are not followed: others may have the rest of their word.
class Writers {
 public:
  /// Of written allocations, together; those that would be more are not followed.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
  /// Work-groups without an order among them: their atomics.
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};

  /// One number per 4 bytes of the allocation at `address`: 0, or 1 + the number of the work-group, or kSeveral; nullptr: it is not written, or not followed.
  [[nodiscard]] std::uint32_t* of(std::uint64_t address) const;
  /// The same for an allocation of `bytes` that is written now.
  std::uint32_t* begin(std::uint64_t address, std::uint64_t bytes);

 private:
  std::map<std::uint64_t, ZeroedWords> words_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpscope::machine
