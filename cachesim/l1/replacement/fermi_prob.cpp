// What was measured on Fermi's L1: of its four ways one goes with probability 1/2, the others with 1/6 each,
// whatever was used. Mei, Chu, Dissecting GPU Memory Hierarchy through Microbenchmarking, IEEE TPDS 28(1),
// 2017, arXiv 1509.02308; the numbers are recalled, not read there, and which way is the frequent one (here
// the second) makes no difference to any count but by chance.
#include <array>

#include "cachesim/l1/policy_cache.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

class FermiProb {
 public:
  explicit FermiProb(const PolicyGeometry& geometry) : random_(geometry.seed) {}
  void reset() {}  // the sequence goes on: who starts a launch reseeds
  void reseed(std::uint64_t seed) { random_ = SplitMix64(seed); }
  void on_hit(const Reference&) {}
  void on_fill(const Reference&) {}
  void on_remove(const Reference&) {}
  WayIndex victim(const Reference&) {
    constexpr std::array<std::uint32_t, 6> kWay = {0, 1, 1, 1, 2, 3};
    return WayIndex(kWay[((random_.next() >> 32) * kWay.size()) >> 32]);
  }

 private:
  SplitMix64 random_;
};

}  // namespace

WARPSCOPE_REPLACEMENT(fermi_prob, FermiProb)

}  // namespace warpscope
