#pragma once
// What atomics and reductions make of a value in memory (atomics.cpp).
#include <cstdint>

namespace warpscope::machine {

/// Changes as the field `red` numbers them.
constexpr std::uint32_t kAdd = 0, kMin = 1, kMax = 2, kInc = 3, kDec = 4, kAnd = 5, kOr = 6, kXor = 7;
/// Of the values. kHalves, kBrains: two in a word; kF32Kept: subnormal numbers stay what they are.
constexpr std::uint32_t kU32 = 0, kS32 = 1, kU64 = 2, kS64 = 3, kF32 = 4, kF64 = 5, kHalves = 6, kBrains = 7,
                        kF32Kept = 8;

unsigned bytes_of_type(std::uint32_t type);
std::uint64_t result_of(std::uint32_t change, std::uint32_t type, std::uint64_t old, std::uint64_t value);

}  // namespace warpscope::machine
