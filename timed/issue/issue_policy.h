#pragma once
// The interface of a warp scheduler of the timed engine: of the warps that can issue in this cycle, pick one.
// A policy is one file in timed/issue/policies/ and one line in timed/issue/registry.def. policy_core.h calls it with static
// dispatch: it is in the innermost loop.
//
// Calls for one scheduler:
//   arrived     warps of a work-group took places (before any of them is in a mask)
//   may_issue   of a policy that holds warps back: which of the warps in `ready` it lets issue, perhaps none
//   pick        once per issue slot with at least one warp in `ready` (of those that may issue); the pick issues
//   missed, evicted   of a policy that watches the L1: what it did in this cycle, after all have issued
//   left        the warp ended, its place is free
#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "timed/config/config.h"
#include "traces/base/policy_parameter.h"

namespace warpscope::timed {

/// Place of a warp at its scheduler, 0 … 63. Place p of scheduler s is the core's warp p · schedulers + s.
using WarpPlace = std::uint32_t;
using PlaceMask = std::uint64_t;  ///< bit p = place p

/// What a policy sees. New fields are added here; signatures of policies never change.
struct IssueView {
  PlaceMask ready = 0;               ///< can issue now; not empty in pick()
  PlaceMask present = 0;             ///< resident
  PlaceMask waiting_for_memory = 0;  ///< warps whose next instruction uses data that has not arrived
  /// By place: order of arrival on the core, lower = older; warps of one work-group in the order of their
  /// numbers.
  const std::uint64_t* age = nullptr;
  PlaceMask at_barrier = 0;  ///< warps that wait for others of their work-group
  PlaceMask loads = 0;       ///< the ready warps whose next instruction is a load; only in may_issue()
  Cycle now = 0;             ///< current cycle; only in may_issue()
  /// By place: the resident warps of work-groups that arrived before its own, and those of its own.
  const PlaceMask* older_groups = nullptr;
  const PlaceMask* own_group = nullptr;
};

/// The shape that policy_core.h expects. Parameters, if it has any, are its `static constexpr std::array kParameters` of
/// PolicyParameter.
template <class P>
concept IssuePolicy = requires(P policy, const IssueView& view, WarpPlace place, const PolicyValues& values) {
                        P(values);
                        { policy.pick(view) } -> std::same_as<WarpPlace>;
                        policy.arrived(place);
                        policy.left(place);
                      };

/// A policy that can leave ready warps where they are. As long as it does, every cycle is simulated: it may decide by time.
template <class P>
concept HoldsBack = requires(P policy, const IssueView& view) {
                      { policy.may_issue(view) } -> std::same_as<PlaceMask>;
                    };
/// A policy that is told which warps miss in the L1 and lose lines of theirs (L1Event); `now`: the cycle.
template <class P>
concept WatchesL1 = requires(P policy, WarpPlace place, LineAddr line, Cycle now) {
                      policy.missed(place, line, now);
                      policy.evicted(place, line);
                    };

/// The oldest (or youngest) warp of `mask`, which is not empty.
WarpPlace oldest_of(PlaceMask mask, const std::uint64_t* age);
WarpPlace youngest_of(PlaceMask mask, const std::uint64_t* age);
/// The warps of `view.ready` (not empty) whose work-group arrived first of all in it.
inline PlaceMask of_oldest_group(const IssueView& view) {
  auto place = std::countr_zero(view.ready);
  for (PlaceMask older = 0; (older = view.ready & view.older_groups[place]) != 0;)
    place = std::countr_zero(older);
  return view.ready & view.own_group[place];
}
/// The first place of `mask` (not empty) at `from` (0 … 64) or after it, then from 0.
inline WarpPlace next_from(PlaceMask mask, WarpPlace from) {
  const PlaceMask above = from >= 64 ? 0 : mask & (~PlaceMask{0} << from);
  return static_cast<WarpPlace>(std::countr_zero(above != 0 ? above : mask));
}

class Core;
struct CoreSetup;
struct IssuePolicyInfo {
  const char* name;
  std::span<const PolicyParameter> (*parameters)();
  std::unique_ptr<Core> (*make_core)(const CoreSetup& setup, std::uint32_t core);
  /// The pick alone, for tests: a policy behind a virtual call.
  std::unique_ptr<class AnyIssuePolicy> (*make_policy)(const PolicyValues& values);
  const char* help;
  const char* source;
};
std::span<const IssuePolicyInfo> issue_policies();
/// Throws InputError that lists the known names.
const IssuePolicyInfo& issue_policy_named(const std::string& name);
/// Throws InputError for a value that is out of its parameter's range.
void validate(const PolicyValues& values);
/// Calls `use(policy, parameter)` for every parameter of every issue policy.
template <class Use>
void each_issue_parameter(const Use& use) {
  for (const IssuePolicyInfo& info : issue_policies())
    for (const PolicyParameter& parameter : info.parameters()) use(info, parameter);
}

class AnyIssuePolicy {
 public:
  virtual ~AnyIssuePolicy() = default;
  virtual WarpPlace pick(const IssueView& view) = 0;
  /// All of `ready` where the policy holds none back.
  virtual PlaceMask may_issue(const IssueView& view) = 0;
  /// Nothing where the policy does not watch the L1.
  virtual void missed(WarpPlace place, LineAddr line, Cycle now) = 0;
  virtual void evicted(WarpPlace place, LineAddr line) = 0;
  virtual void arrived(WarpPlace place) = 0;
  virtual void left(WarpPlace place) = 0;
};

}  // namespace warpscope::timed
