#pragma once
// One look-up of the L1, packed into eight bytes: what the coalescer hands to the caches and a transaction
// stream stores.
#include <cstdint>

#include "traces/base/types.h"

namespace warpscope {

/// Index into a launch's table of origins: which site touched which buffer. See origin.h.
using OriginId = Strong<struct OriginTag, std::uint16_t>;

/// A coalesced transaction. Bits, from the least significant:
///   0      first of its request
///   1      bypasses the L1
///   2-3    kind: 0 load, 1 store, 2 atomic
///   4-19   origin
///   20-63  line number
class Transaction {
 public:
  static constexpr int kOriginShift = 4;
  static constexpr std::size_t kOriginStep = std::size_t{1} << kOriginShift;
  static constexpr int kLineShift = 20;
  static constexpr std::uint64_t kMaxLine = (std::uint64_t{1} << (64 - kLineShift)) - 1;
  /// Loads and atomics that the L1 looks up have none of these bits, others have one.
  static constexpr std::uint64_t kStoreOrBypass =
      std::uint64_t{static_cast<unsigned>(AccessKind::Store)} << 2 | 2;
  static constexpr std::uint32_t kMaxOrigins = 1u << 16;

  constexpr Transaction() = default;
  explicit constexpr Transaction(std::uint64_t bits) : bits_(bits) {}
  /// `line` must not exceed kMaxLine; `kind` is Load, Store or Atomic.
  constexpr Transaction(LineAddr line, OriginId origin, AccessKind kind, bool bypass, bool first)
      : bits_((line.value() << kLineShift) | (std::uint64_t{origin.value()} << kOriginShift) |
              (static_cast<std::uint64_t>(kind) << 2) | (std::uint64_t{bypass} << 1) | std::uint64_t{first}) {
  }

  [[nodiscard]] constexpr LineAddr line() const { return LineAddr(bits_ >> kLineShift); }
  [[nodiscard]] constexpr OriginId origin() const {
    return OriginId(static_cast<std::uint16_t>(bits_ >> kOriginShift));
  }
  /// The origin times kOriginStep, plus one for the first of a request.
  [[nodiscard]] constexpr std::size_t origin_and_first() const {
    return bits_ & ((kMaxOrigins - 1) * kOriginStep | 1);
  }
  [[nodiscard]] constexpr AccessKind kind() const { return static_cast<AccessKind>((bits_ >> 2) & 3); }
  [[nodiscard]] constexpr bool is_store() const { return ((bits_ >> 2) & 3) == 1; }
  [[nodiscard]] constexpr bool bypasses() const { return ((bits_ >> 1) & 1) != 0; }
  [[nodiscard]] constexpr bool is_first() const { return (bits_ & 1) != 0; }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool operator==(const Transaction&) const = default;

 private:
  std::uint64_t bits_ = 0;
};
static_assert(sizeof(Transaction) == 8);

/// Above every transaction's number: none is one of private memory.
constexpr std::uint64_t kNoPrivateMemory = Transaction::kMaxLine + 1;

}  // namespace warpscope
