// Random: every ready work-item is equally likely to make the next access.
#include "traces/base/random.h"

#include "scheduler/policies/warp_scheduler.h"

namespace warpscope {
namespace {

class Random final : public WarpScheduler {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  WarpIndex pick(const ReadyWarps& ready) override {
    return ready.at(static_cast<std::uint32_t>(random_.below(ready.size())));
  }

 private:
  SplitMix64 random_;
};

}  // namespace

std::unique_ptr<WarpScheduler> make_random(std::uint64_t seed) {
  return std::make_unique<Random>(seed);
}

}  // namespace warpscope
