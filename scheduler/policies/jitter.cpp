// Warps drift apart, as latencies make them do: they take turns as with policy warp, but a warp lets each of
// its turns pass with probability 1/2. After n rounds two warps are about sqrt(n / 2) accesses apart. It is the
// largest drift that a coin gives, and has no parameter to fit.
#include "scheduler/policies/warp_scheduler.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

class Jitter final : public WarpScheduler {
 public:
  explicit Jitter(std::uint64_t seed) : random_(seed) {}
  WarpIndex pick(const ReadyWarps& ready) override {
    WarpIndex picked = 0;
    do {
      picked = ready.next_from(next_);
      next_ = picked + 1;
    } while (random_.below(2) == 0);
    return picked;
  }

 private:
  SplitMix64 random_;
  WarpIndex next_ = 0;
};

}  // namespace

std::unique_ptr<WarpScheduler> make_jitter(std::uint64_t seed) {
  return std::make_unique<Jitter>(seed);
}

}  // namespace warpscope
