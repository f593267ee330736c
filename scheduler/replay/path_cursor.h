#pragma once
// Reads the branch outcomes of one path, in order.
#include <algorithm>
#include <cstdint>

#include "scheduler/replay/replay_plan.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

/// What went wrong while following a path; the caller knows the work-item and names it.
struct PathDamage {};

class PathCursor {
 public:
  PathCursor() = default;
  explicit PathCursor(const Path& path) : words_(path.bits.data()), left_(path.bit_count) {}

  /// Index of the successor that the terminator of `block` takes. `block` has at least one successor.
  /// Throws PathDamage when the path is too short or names a successor that does not exist.
  std::uint32_t take(const ReplayPlan::Block& block) {
    if (block.outcome_bits == 1) return take_bit();  // two successors
    if (bits_left() < block.outcome_bits) throw PathDamage{};
    std::uint32_t outcome = 0;
    for (std::uint32_t b = 0; b < block.outcome_bits; ++b) outcome |= take_bit() << b;
    if (outcome >= block.successors) throw PathDamage{};
    return outcome;
  }
  /// The same for a block of two successors and one outcome bit.
  std::uint32_t take_bit() {
    if (in_word_ == 0) refill();
    const auto bit = static_cast<std::uint32_t>(word_ & 1u);
    word_ >>= 1;
    --in_word_;
    return bit;
  }
  [[nodiscard]] std::uint64_t bits_left() const { return left_ + in_word_; }

 private:
  void refill() {
    if (left_ == 0) throw PathDamage{};
    word_ = *words_++;
    in_word_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, 64));
    left_ -= in_word_;
  }

  const std::uint64_t* words_ = nullptr;
  std::uint64_t left_ = 0;     ///< number of outcomes left in the words
  std::uint64_t word_ = 0;     ///< kept here because the path is elsewhere and thousands are followed at once
  std::uint32_t in_word_ = 0;  ///< outcomes left in word_
};

}  // namespace warpscope
