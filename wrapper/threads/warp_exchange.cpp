#include "wrapper/threads/warp_exchange.h"

#include <algorithm>

namespace warpscope::threads {
namespace {

std::uint32_t combine(WarpscopeExchange kind, std::uint32_t a, std::uint32_t b) {
  const auto signed_a = static_cast<std::int32_t>(a), signed_b = static_cast<std::int32_t>(b);
  switch (kind) {
    case WARPSCOPE_ADD:
      return a + b;
    case WARPSCOPE_MIN_SIGNED:
      return static_cast<std::uint32_t>(std::min(signed_a, signed_b));
    case WARPSCOPE_MIN_UNSIGNED:
      return std::min(a, b);
    case WARPSCOPE_MAX_SIGNED:
      return static_cast<std::uint32_t>(std::max(signed_a, signed_b));
    case WARPSCOPE_MAX_UNSIGNED:
      return std::max(a, b);
    case WARPSCOPE_AND:
      return a & b;
    case WARPSCOPE_OR:
      return a | b;
    default:
      return a ^ b;
  }
}

template <class Visit>
void each_lane(const WarpValues& values, const Visit& visit) {
  for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane)
    if ((values.lanes >> lane & 1) != 0) visit(lane, values.value[lane]);
}

std::uint64_t bits_of(const WarpValues& values, auto&& predicate) {
  std::uint64_t bits = 0;
  each_lane(values, [&](std::uint32_t lane, std::uint64_t value) {
    bits |= std::uint64_t{predicate(value)} << lane;
  });
  return bits;
}

}  // namespace

std::uint64_t exchanged(const WarpValues& values, const Offer& own) {
  switch (own.kind) {
    case WARPSCOPE_SYNC:
      return 0;
    case WARPSCOPE_SHUFFLE:
      return own.operand < kWarpThreads && (values.lanes >> own.operand & 1) != 0 ? values.value[own.operand]
                                                                                  : own.value;
    case WARPSCOPE_BALLOT:
      return bits_of(values, [](std::uint64_t value) { return value != 0; });
    case WARPSCOPE_MATCH:
      return bits_of(values, [&](std::uint64_t value) { return value == own.value; });
    default:
      break;
  }
  bool first = true;
  std::uint32_t result = 0;
  each_lane(values, [&](std::uint32_t, std::uint64_t value) {
    const auto next = static_cast<std::uint32_t>(value);
    result = first ? next : combine(own.kind, result, next);
    first = false;
  });
  return result;
}

}  // namespace warpscope::threads
