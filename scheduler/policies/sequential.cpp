// Sequential: a work-item runs to its end or barrier, then the next one in order does.
#include "scheduler/policies/warp_scheduler.h"

namespace warpscope {
namespace {

class Sequential final : public WarpScheduler {
 public:
  WarpIndex pick(const ReadyWarps& ready) override { return current_ = ready.next_from(current_); }
  void finished(WarpIndex index) override { current_ = index + 1; }

 private:
  WarpIndex current_ = 0;
};

}  // namespace

std::unique_ptr<WarpScheduler> make_sequential(std::uint64_t /*seed*/) {
  return std::make_unique<Sequential>();
}

}  // namespace warpscope
