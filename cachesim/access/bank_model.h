#pragma once
// The banks of local (shared) memory, which from Volta on are also the data stage of the L1: how many cycles
// a warp instruction takes them. A pure function of its arguments.
#include <cstdint>
#include <span>
#include <vector>

#include "gpus/preset.h"
#include "traces/base/types.h"

namespace warpscope {

/// Powers of two. Sources: NVIDIA CUDA C Programming Guide, the sections on shared memory of each compute
/// capability.
struct BankRules {
  std::uint32_t banks = 32;
  std::uint32_t bank_bytes = 4;        ///< bytes that a bank gives per cycle
  std::uint32_t interleave_bytes = 4;  ///< neighbouring bytes in one bank; Kepler: 4-byte or 8-byte mode
  std::uint32_t lanes_together = 32;   ///< lanes that can conflict, at most
  /// Lanes that read the same row of a bank are all served at once. False (compute capability 1.x): one word
  /// per cycle goes to many lanes, every other bank serves one lane; wider accesses are split into words.
  bool multicast = true;
  /// Two neighbouring passes of a wide access are one if every lane of them reads the same as its neighbour, or every
  /// lane the same as the lane after that (compute capability 5.0 and later). By nvprof's and ncu's counts of vector
  /// loads: 16 bytes that a half-warp reads together take one cycle per half-warp, and 16 different ones two.
  bool joins_passes = false;
  bool operator==(const BankRules&) const = default;
};

/// What a preset says; where it does not, 32 banks of 4 bytes and a whole warp. Compute capability 1.x: no multicast.
/// Passes are joined from 5.0 on. Throws InputError when a value is no power of two.
BankRules bank_rules(const GpuPreset& preset);

/// One instruction of a warp, as the banks see it.
struct BankAccess {
  LaneMask mask = 0;
  std::span<const std::uint64_t> address;  ///< bytes, one per set bit of mask, in lane order
  std::uint32_t bytes = 4;                 ///< bytes per lane, 1 … 16; 0 counts as 4
  std::uint32_t warp_size = 32;
};

/// Appends the degree of every pass to `degrees`: the cycles that the lanes of one pass take, 1 = no
/// conflict. A pass is what the banks could give in one cycle: lanes_together lanes, or as many as fit
/// banks × bank_bytes (half a warp for 8 bytes, a quarter for 16 where a bank has 4); twice as many where
/// joins_passes holds. Passes without lanes are left out.
void bank_degrees(const BankAccess& access, const BankRules& rules, std::vector<std::uint16_t>& degrees);

/// Addresses that differ by a multiple of this have the same degrees.
constexpr std::uint32_t bank_period(const BankRules& rules) {
  return rules.bank_bytes == rules.interleave_bytes ? rules.bank_bytes : rules.bank_bytes * rules.banks;
}

}  // namespace warpscope
