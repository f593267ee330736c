#pragma once
// Whose line goes where a set has a free tag and the memory is full: sets take turns, far ones after each other.
#include <cstdint>
#include <numeric>

namespace warpscope {

/// An H100 takes the sets in turn, in an order that neighbouring lines do not follow (validation/notes/h100.md). Which order is not
/// known; this one has steps of about the golden section of the sets.
class SetTurn {
 public:
  /// `sets`: 1 or more.
  explicit SetTurn(std::uint32_t sets) : sets_(sets), step_(sets * std::uint64_t{618} / 1000) {
    if (step_ == 0) step_ = 1;
    while (std::gcd(step_, std::uint64_t{sets_}) != 1) ++step_;
  }
  /// Every set once before one comes again.
  std::uint32_t next() {
    const std::uint32_t set = at_;
    at_ = static_cast<std::uint32_t>((at_ + step_) % sets_);
    return set;
  }
  void reset() { at_ = 0; }

 private:
  std::uint32_t sets_;
  std::uint64_t step_;
  std::uint32_t at_ = 0;
};

}  // namespace warpscope
