#include "timed/issue/issue_policy.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "timed/issue/core.h"
#include "traces/base/names.h"

namespace warpscope::timed {

#define ISSUE_POLICY(name, suffix, help, source)                                        \
  std::unique_ptr<Core> make_core_##suffix(const CoreSetup& setup, std::uint32_t core); \
  std::unique_ptr<AnyIssuePolicy> make_policy_##suffix(const PolicyValues& values);     \
  std::span<const PolicyParameter> issue_parameters_##suffix();
#include "timed/issue/registry.def"
#undef ISSUE_POLICY

namespace {

#define ISSUE_POLICY(name, suffix, help, source) \
  IssuePolicyInfo{name, issue_parameters_##suffix, make_core_##suffix, make_policy_##suffix, help, source},
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

void validate(const PolicyValues& values) {
  each_issue_parameter([&](const IssuePolicyInfo&, const PolicyParameter& parameter) {
    const std::uint32_t value = values.of(parameter);
    if (value >= parameter.least && value <= parameter.most) return;
    throw InputError(fmt::format("--{}: {}, expected a whole number from {} to {}", parameter.name, value,
                                 parameter.least, parameter.most));
  });
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

}  // namespace warpscope::timed
