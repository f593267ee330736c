#include "wrapper/machine/group_progress.h"

#include <fmt/format.h>

#include "machine/execute/base/fault.h"
#include "wrapper/run/signal_guard.h"

namespace warpscope {

void GroupProgress::add() {
  {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (progress_) progress_->update(done_);
  }
  check_signal();
}

void GroupProgress::check_signal() const {
  if (SignalGuard::received() != 0)
    throw machine::ExecutionFault(
        fmt::format("interrupted after {} of {} work-groups", done_.load(), groups_));
}

}  // namespace warpscope
