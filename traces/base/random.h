#pragma once
// A generator whose numbers are the same with every compiler and library, and orders.
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace warpscope {

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014,
/// doi 10.1145/2660193.2660195).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform in 0 .. bound - 1, without bias: numbers from the incomplete last multiple of `bound` are drawn
  /// again. `bound` is not 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t unusable = (~std::uint64_t{0} % bound + 1) % bound;
    std::uint64_t number = next();
    while (number > ~std::uint64_t{0} - unusable) number = next();
    return number % bound;
  }

 private:
  std::uint64_t state_;
};

/// Every order equally likely (Fisher and Yates).
template <class T>
void shuffle(std::vector<T>& values, SplitMix64& random) {
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[random.below(left)]);
}

/// The order in which the work-groups of a launch run, one after the other.
struct GroupOrder {
  enum class Kind { Ascending, Descending, Random };
  Kind kind = Kind::Ascending;
  std::uint64_t seed = 0;      ///< of Random
  bool lanes_descend = false;  ///< in each the last lane of a warp comes first
};

/// Which of `count` work-groups (below 2^32) has which turn: turn * multiplier + offset modulo their number. With a multiplier that has no
/// divisor in common with it each has one turn.
class GroupTurns {
 public:
  GroupTurns(GroupOrder order, std::uint64_t count) : count_(count) {
    if (order.kind == GroupOrder::Kind::Ascending || count < 2) return;
    multiplier_ = offset_ = count - 1;
    if (order.kind == GroupOrder::Kind::Descending) return;
    SplitMix64 random(order.seed);
    do multiplier_ = random.below(count);
    while (std::gcd(multiplier_, count) != 1);
    offset_ = random.below(count);
  }
  /// `turn`: below the number of work-groups.
  [[nodiscard]] std::uint64_t group_at(std::uint64_t turn) const {
    return (turn * multiplier_ + offset_) % count_;
  }

 private:
  std::uint64_t count_, multiplier_ = 1, offset_ = 0;
};

}  // namespace warpscope
