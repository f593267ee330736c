#pragma once
// Reading of sources with their modifiers, and writing of results: what all operations do.
#include <bit>

#include "machine/execute/warp.h"

namespace warpscope::machine {

constexpr std::uint32_t kSign = 0x80000000U;

/// `scratch` holds the values if a modifier changes them.
inline const LaneValues& read_integer(const Warp& warp, const Source& source, LaneValues& scratch) {
  const LaneValues& values = warp.read(source.is_constant, source.low);
  if (source.change == Source::kNone) return values;
  const std::uint32_t add = (source.change & Source::kNegated) != 0 ? 1 : 0;
  for (unsigned i = 0; i < kLanes; ++i) scratch[i] = ~values[i] + add;
  return scratch;
}

inline const LaneValues& read_real(const Warp& warp, const Source& source, LaneValues& scratch) {
  const LaneValues& values = warp.read(source.is_constant, source.low);
  if (source.change == Source::kNone) return values;
  const std::uint32_t keep = (source.change & Source::kAbsolute) != 0 ? ~kSign : ~std::uint32_t{0};
  const std::uint32_t turn = (source.change & Source::kMinus) != 0 ? kSign : 0;
  for (unsigned i = 0; i < kLanes; ++i) scratch[i] = (values[i] & keep) ^ turn;
  return scratch;
}

struct alignas(64) WideValues {
  std::uint64_t lane[kLanes];

  std::uint64_t& operator[](unsigned i) { return lane[i]; }
  const std::uint64_t& operator[](unsigned i) const { return lane[i]; }
};

inline void read_pair(const Warp& warp, const Source& source, WideValues& values) {
  const LaneValues& low = warp.read(source.is_constant, source.low);
  const LaneValues& high = warp.read(source.is_constant, source.high);
  for (unsigned i = 0; i < kLanes; ++i) values[i] = pair_of(low[i], high[i]);
}

inline void read_wide_integer(const Warp& warp, const Source& source, WideValues& values) {
  read_pair(warp, source, values);
  if (source.change == Source::kNone) return;
  const std::uint64_t add = (source.change & Source::kNegated) != 0 ? 1 : 0;
  for (unsigned i = 0; i < kLanes; ++i) values[i] = ~values[i] + add;
}

inline void read_wide_real(const Warp& warp, const Source& source, WideValues& values) {
  read_pair(warp, source, values);
  const std::uint64_t sign = std::uint64_t{1} << 63;
  const std::uint64_t keep = (source.change & Source::kAbsolute) != 0 ? ~sign : ~std::uint64_t{0};
  const std::uint64_t turn = (source.change & Source::kMinus) != 0 ? sign : 0;
  if (source.change == Source::kNone) return;
  for (unsigned i = 0; i < kLanes; ++i) values[i] = (values[i] & keep) ^ turn;
}

inline void write(Warp& warp, const Operation& operation, const LaneValues& values, LaneSet lanes) {
  blend(warp.row(operation.result), values, lanes);
}

inline void write_pair(Warp& warp, const Operation& operation, const WideValues& values, LaneSet lanes) {
  if (operation.drops_result) return;
  LaneValues low, high;
  for (unsigned i = 0; i < kLanes; ++i) low[i] = static_cast<std::uint32_t>(values[i]);
  for (unsigned i = 0; i < kLanes; ++i) high[i] = static_cast<std::uint32_t>(values[i] >> 32);
  blend(warp.row(operation.result), low, lanes);
  blend(warp.row(static_cast<std::uint16_t>(operation.result + 1)), high, lanes);
}

/// Calls f(lane) for all lanes and gathers the results as a set.
template <class F>
LaneSet gather_set(F f) {
  LaneSet set = 0;
  for (unsigned i = 0; i < kLanes; ++i) set |= static_cast<LaneSet>(f(i)) << i;
  return set;
}

/// .AND, .OR, .XOR of a comparison and a predicate.
inline LaneSet combine(std::uint32_t how, LaneSet a, LaneSet b) {
  return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

}  // namespace warpscope::machine
