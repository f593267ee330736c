#pragma once
// The cycle loop of a core, compiled once per warp scheduler, and the macro with which a policy's file offers
// it.
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "timed/issue/core.h"

namespace warpscope::timed {

template <IssuePolicy P>
class PolicyCore final : public Core {
 public:
  PolicyCore(const CoreSetup& setup, std::uint32_t id)
      : Core(setup, id, WatchesL1<P>), policies_(schedulers().schedulers(), P(config().parameters)) {}

 private:
  void run(Cycle end) override {
    const std::uint32_t width = config().issue_width;
    while (now() < end) {
      begin_cycle();
      std::uint32_t issued = 0;
      // What issues may make warps of later schedulers ready.
      for (std::uint32_t left = schedulers().wanting(), done = 0; left != 0;
           left = schedulers().wanting() & ~done) {
        const auto s = static_cast<std::uint32_t>(std::countr_zero(left));
        done = (2u << s) - 1;
        const PlaceMask ready = schedulers().candidates(s, now());
        if (ready == 0) continue;
        issue_from(s, ready, width);
        count_issue(s);
        issued |= 1u << s;
      }
      end_cycle();
      if constexpr (WatchesL1<P>) tell_of_l1();
      skip(end, issued);
    }
  }

  /// `ready`: the warps that can issue, at least one.
  void issue_from(std::uint32_t s, PlaceMask ready, std::uint32_t width) {
    ready = let(s, ready);
    if constexpr (HoldsBack<P>) {
      if (ready == 0) count_held_back(s);
    }
    PlaceMask issued = 0;
    for (std::uint32_t slot = 0; slot < width && ready != 0; ++slot) {
      const WarpPlace place = policies_[s].pick(schedulers().view(s, ready));
      issue(s, place);
      issued |= PlaceMask{1} << place;
      if (slot + 1 < width) ready = let(s, schedulers().candidates(s, now()) & ~issued);
    }
  }
  /// Those of `ready` that the policy lets issue.
  PlaceMask let(std::uint32_t s, PlaceMask ready) {
    if constexpr (HoldsBack<P>) {
      IssueView view = schedulers().view(s, ready);
      view.loads = loading(s, ready);
      view.now = now();
      ready = policies_[s].may_issue(view);
    }
    return ready;
  }
  void tell_of_l1() {
    for (const L1Event& event : l1_events()) {
      P& policy = policies_[schedulers().scheduler_of(event.warp)];
      const WarpPlace place = schedulers().place_of(event.warp);
      if (event.kind == L1Event::Kind::Missed)
        policy.missed(place, event.line, now());
      else
        policy.evicted(place, event.line);
    }
    l1_events().clear();
  }
  void on_arrived(std::uint32_t scheduler, WarpPlace place) override { policies_[scheduler].arrived(place); }
  void on_left(std::uint32_t scheduler, WarpPlace place) override { policies_[scheduler].left(place); }

  std::vector<P> policies_;
};

template <IssuePolicy P>
class ErasedIssuePolicy final : public AnyIssuePolicy {
 public:
  explicit ErasedIssuePolicy(const PolicyValues& values) : policy_(values) {}
  WarpPlace pick(const IssueView& view) override { return policy_.pick(view); }
  PlaceMask may_issue(const IssueView& view) override {
    if constexpr (HoldsBack<P>)
      return policy_.may_issue(view);
    else
      return view.ready;
  }
  void missed([[maybe_unused]] WarpPlace place, [[maybe_unused]] LineAddr line,
              [[maybe_unused]] Cycle now) override {
    if constexpr (WatchesL1<P>) policy_.missed(place, line, now);
  }
  void evicted([[maybe_unused]] WarpPlace place, [[maybe_unused]] LineAddr line) override {
    if constexpr (WatchesL1<P>) policy_.evicted(place, line);
  }
  void arrived(WarpPlace place) override { policy_.arrived(place); }
  void left(WarpPlace place) override { policy_.left(place); }

 private:
  P policy_;
};

}  // namespace warpscope::timed

/// At the end of a policy's file, in namespace warpscope::timed: the factories that registry.def names.
// NOLINTBEGIN(bugprone-macro-parentheses): Policy is a type, in parentheses it would be none
#define WARPSCOPE_ISSUE_POLICY(suffix, Policy)                                           \
  std::unique_ptr<Core> make_core_##suffix(const CoreSetup& setup, std::uint32_t core) { \
    return std::make_unique<PolicyCore<Policy>>(setup, core);                            \
  }                                                                                      \
  std::unique_ptr<AnyIssuePolicy> make_policy_##suffix(const PolicyValues& values) {     \
    return std::make_unique<ErasedIssuePolicy<Policy>>(values);                          \
  }                                                                                      \
  std::span<const PolicyParameter> issue_parameters_##suffix() { return parameters_of<Policy>(); }
// NOLINTEND(bugprone-macro-parentheses)
