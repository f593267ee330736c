#pragma once
// What accesses cost that never reach the L1: local memory its banks, constants one address after the other.
#include <cstdint>
#include <vector>

#include "cachesim/access/bank_model.h"
#include "cachesim/transactions/access_path.h"
#include "cachesim/transactions/remembered_patterns.h"

namespace warpscope {

/// The passes of one access to local memory, all its instructions.
struct BankPasses : PatternKey {
  std::uint32_t cycles = 0;            ///< cycles of all passes
  std::vector<std::uint16_t> degrees;  ///< cycles of each pass, 1 = no conflict
};

class LocalBanks {
 public:
  explicit LocalBanks(const BankRules& rules) : rules_(rules) {}
  /// Valid until the next call. The access goes to local memory.
  const BankPasses& passes(const WarpAccess& access, const AccessSite& site, std::uint32_t warp_size);

 private:
  BankRules rules_;
  RememberedPatterns<BankPasses> remembered_;
  std::vector<std::uint64_t> addresses_;
};

/// Distinct addresses of the lanes: constant memory serves one after the other.
std::uint32_t distinct_addresses(const LanePattern& pattern);

}  // namespace warpscope
