#pragma once
// Real numbers as the GPU has them: one pattern for what is not a number, comparisons with sixteen names, rounding modes.
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

#include "machine/execute/read.h"

namespace warpscope::machine {

constexpr std::uint32_t kNotANumber = 0x7fffffffU;
constexpr std::uint64_t kWideNotANumber = 0xfff8000000000000U;

inline float single_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline double double_of(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

/// 0 with its sign, of a subnormal number.
inline std::uint32_t flushed(std::uint32_t bits) {
  return (bits & 0x7f800000U) == 0 ? bits & kSign : bits;
}

inline std::uint32_t canonical(float value) {
  return value != value ? kNotANumber : std::bit_cast<std::uint32_t>(value);
}

inline float saturated(float value) {
  return value > 0 ? (value < 1 ? value : 1.0F) : 0.0F;  // what is not a number is 0
}

/// How two numbers relate: a bit for less, equal, more, and no order.
constexpr std::uint32_t kLess = 1, kEqual = 2, kMore = 4, kUnordered = 8;

template <class T>
std::uint32_t relation_of(T x, T y) {
  return x < y ? kLess : x == y ? kEqual : x > y ? kMore : kUnordered;
}

/// The lanes where a comparison holds: F, LT, EQ, LE, GT, NE, GE, NUM, NAN, LTU, EQU, LEU, GTU, NEU, GEU, T. Its number is the set of relations.
inline LaneSet holds(std::uint32_t comparison, const LaneValues& relations) {
  LaneValues result;
  for (unsigned i = 0; i < kLanes; ++i) result[i] = relations[i] & comparison;
  return lanes_set(result);
}

/// The smaller or the larger one; -0 is below 0. One that is not a number loses, unless both are, or `keeps_none`.
inline std::uint32_t extreme_real(std::uint32_t x, std::uint32_t y, bool smaller, bool keeps_none) {
  const bool x_is_none = (x & ~kSign) > 0x7f800000U, y_is_none = (y & ~kSign) > 0x7f800000U;
  if (x_is_none || y_is_none) return keeps_none || (x_is_none && y_is_none) ? kNotANumber : x_is_none ? y : x;
  const auto order = [](std::uint32_t bits) { return (bits & kSign) != 0 ? ~bits : bits | kSign; };
  return (order(x) < order(y)) == smaller ? x : y;
}

/// Sets the processor's rounding mode while it exists: 0 nearest, 1 down, 2 up, 3 towards 0, as the field `rnd` of the words.
class RoundingMode {
 public:
  explicit RoundingMode(std::uint32_t mode) : before_(std::fegetround()) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    std::fesetround(kModes[mode & 3]);
  }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

}  // namespace warpscope::machine
