// Round robin: one access each, in order, then from the beginning. `rr` takes single work-items in turn. `warp`,
// the order of Crawford 2014, takes warps, which the core numbers warp by warp over the resident work-groups, so
// that the work-group changes at every turn.
#include "scheduler/policies/warp_scheduler.h"

namespace warpscope {
namespace {

class RoundRobin final : public WarpScheduler {
 public:
  WarpIndex pick(const ReadyWarps& ready) override {
    const WarpIndex picked = ready.next_from(next_);
    next_ = picked + 1;
    return picked;
  }

 private:
  WarpIndex next_ = 0;
};

}  // namespace

std::unique_ptr<WarpScheduler> make_round_robin(std::uint64_t /*seed*/) {
  return std::make_unique<RoundRobin>();
}

}  // namespace warpscope
