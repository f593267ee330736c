#include "machine/execute/base/ordered_changes.h"

#include <utility>

namespace warpscope::machine {

void OrderedChanges::end(std::uint64_t turn, std::vector<Change> changes) {
  std::unique_lock lock(mutex_);
  count_ += changes.size();
  waiting_[turn] = std::move(changes);
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_;
       first = waiting_.erase(first), ++next_) {
    for (const Change& change : first->second) change.make(change.place, change.value, change.how);
    count_ -= first->second.size();
  }
  if (next_ > turn) made_.notify_all();
  made_.wait(lock, [&] { return next_ > turn || count_ < kMostWaiting || is_over_; });
}

void OrderedChanges::give_up() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  made_.notify_all();
}

}  // namespace warpscope::machine
