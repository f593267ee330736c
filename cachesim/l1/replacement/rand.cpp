// Random: any way with equal probability, from a seeded generator of our own (splitmix64), so that every
// platform draws the same victims: the upper half of a draw, times the ways, over 2^32. Filling an empty way
// draws no number.
#include "cachesim/l1/policy_cache.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

class Rand {
 public:
  explicit Rand(const PolicyGeometry& geometry) : ways_(geometry.ways), random_(geometry.seed) {}
  void reset() {}  // the sequence goes on: who starts a launch reseeds
  void reseed(std::uint64_t seed) { random_ = SplitMix64(seed); }
  void on_hit(const Reference&) {}
  void on_fill(const Reference&) {}
  void on_remove(const Reference&) {}
  WayIndex victim(const Reference&) {
    return WayIndex(static_cast<std::uint32_t>(((random_.next() >> 32) * ways_) >> 32));
  }

 private:
  std::uint32_t ways_;
  SplitMix64 random_;
};

}  // namespace

WARPSCOPE_REPLACEMENT(rand, Rand)

}  // namespace warpscope
