#pragma once
// What the threads of a warp give each other: shuffles, votes, reductions.
#include <array>
#include <cstdint>

#include "passes/RuntimeABI.h"

namespace warpscope::threads {

constexpr std::uint32_t kWarpThreads = 32;

/// One thread's part in an exchange.
struct Offer {
  WarpscopeExchange kind = WARPSCOPE_SYNC;
  std::uint32_t mask = 0;  ///< the lanes that it waits for; 0 = those that are at the same place
  std::uint64_t value = 0;
  std::uint32_t operand = 0;    ///< for a shuffle: the lane whose value it wants
  const void* place = nullptr;  ///< place in the code
};

/// The values of all lanes, and which of them take part.
struct WarpValues {
  std::array<std::uint64_t, kWarpThreads> value{};
  std::uint32_t lanes = 0;
};

/// What a thread that takes part gets: WarpscopeExchange says what of.
std::uint64_t exchanged(const WarpValues& values, const Offer& own);

}  // namespace warpscope::threads
