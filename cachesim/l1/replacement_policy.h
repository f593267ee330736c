#pragma once
// How a replacement policy plugs in: one class in one file of replacement/, one line in registry.def.
//
// A policy is a class with the members below; policy_cache.h calls them with static dispatch (it is in the
// innermost loop). Call order for a reference to a set:
//   hit                        on_hit
//   miss that allocates        victim (only when no way of the set is empty; empty ways are filled lowest
//                              first), then on_fill
//   line removed by a store    on_remove; the way is empty then
// Store hits come as on_hit like load hits; a store miss that does not allocate comes not at all. All ways
// are empty at the start and after reset(). The cache owns tags and dirty bits; a policy owns only its own
// ordering state. A policy that draws random numbers has reseed(seed), too: a launch begins.
#include <concepts>
#include <cstdint>

#include "cachesim/l1/cache_config.h"

namespace warpscope {

/// Everything a policy may look at. New fields are added here; signatures of policies never change.
struct Reference {
  SetIndex set;
  WayIndex way;  ///< place of the line, now or after the fill; meaningless in victim()
  LineAddr line;
  bool is_store = false;
  bool goes_on = false;  ///< the same request has used another sector of the line: one look-up in hardware
};

/// What a policy is built for.
struct PolicyGeometry {
  std::uint32_t sets = 1;
  std::uint32_t ways = 1;
  std::uint64_t seed = 1;  ///< already different for every core
};

/// The shape that policy_cache.h expects.
template <class P>
concept ReplacementPolicy = requires(P policy, const PolicyGeometry& geometry, const Reference& reference) {
                              P(geometry);
                              policy.reset();
                              policy.on_hit(reference);
                              policy.on_fill(reference);
                              policy.on_remove(reference);
                              { policy.victim(reference) } -> std::same_as<WayIndex>;
                            };

/// A policy behind virtual calls, for simulators that keep their own tags (timed/).
class AnyReplacement {
 public:
  virtual ~AnyReplacement() = default;
  virtual void reset() = 0;
  virtual void on_hit(const Reference& reference) = 0;
  virtual void on_fill(const Reference& reference) = 0;
  virtual void on_remove(const Reference& reference) = 0;
  virtual WayIndex victim(const Reference& reference) = 0;
};

template <ReplacementPolicy P>
class ErasedReplacement final : public AnyReplacement {
 public:
  explicit ErasedReplacement(const PolicyGeometry& geometry) : policy_(geometry) {}
  void reset() override { policy_.reset(); }
  void on_hit(const Reference& reference) override { policy_.on_hit(reference); }
  void on_fill(const Reference& reference) override { policy_.on_fill(reference); }
  void on_remove(const Reference& reference) override { policy_.on_remove(reference); }
  WayIndex victim(const Reference& reference) override { return policy_.victim(reference); }

 private:
  P policy_;
};

}  // namespace warpscope
