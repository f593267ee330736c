#include "timed/issue/issue_policy.h"

#include <array>
#include <bit>

#include "timed/issue/core.h"
#include "traces/base/names.h"

namespace warpscope::timed {

#define ISSUE_POLICY(name, suffix, help, source)                                        \
  std::unique_ptr<Core> make_core_##suffix(const CoreSetup& setup, std::uint32_t core); \
  std::unique_ptr<AnyIssuePolicy> make_policy_##suffix(const IssuePolicyOptions& options);
#include "timed/issue/registry.def"
#undef ISSUE_POLICY

namespace {

#define ISSUE_POLICY(name, suffix, help, source) \
  IssuePolicyInfo{name, make_core_##suffix, make_policy_##suffix, help, source},
constexpr std::array kIssuePolicies = {
#include "timed/issue/registry.def"
};
#undef ISSUE_POLICY

}  // namespace

std::span<const IssuePolicyInfo> issue_policies() {
  return kIssuePolicies;
}

const IssuePolicyInfo& issue_policy_named(const std::string& name) {
  if (const IssuePolicyInfo* info = find_named(kIssuePolicies, name)) return *info;
  throw unknown_name("--warp-scheduler: '" + name + "' is not a warp scheduler", names_of(kIssuePolicies));
}

WarpPlace oldest_of(PlaceMask mask, const std::uint64_t* age) {
  auto best = static_cast<WarpPlace>(std::countr_zero(mask));
  for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
    const auto place = static_cast<WarpPlace>(std::countr_zero(mask));
    if (age[place] < age[best]) best = place;
  }
  return best;
}

WarpPlace youngest_of(PlaceMask mask, const std::uint64_t* age) {
  auto best = static_cast<WarpPlace>(std::countr_zero(mask));
  for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
    const auto place = static_cast<WarpPlace>(std::countr_zero(mask));
    if (age[place] > age[best]) best = place;
  }
  return best;
}

WarpPlace next_from(PlaceMask mask, WarpPlace from) {
  const PlaceMask above = from >= 64 ? 0 : mask & (~PlaceMask{0} << from);
  return static_cast<WarpPlace>(std::countr_zero(above != 0 ? above : mask));
}

}  // namespace warpscope::timed
