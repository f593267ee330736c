#include "wrapper/machine/group_finisher.h"

#include <system_error>

#include "passes/RuntimeABI.h"
#include "wrapper/recording/runtime.h"

extern "C" WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID;

namespace warpscope {
namespace {

std::size_t bytes_of(void* recording) {
  return recording == nullptr ? 0 : static_cast<Recorder::Thread*>(recording)->recording.memory_bytes();
}

}  // namespace

GroupFinisher::GroupFinisher(unsigned threads) : most_threads_(threads) {}

GroupFinisher::~GroupFinisher() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ended_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool GroupFinisher::has_room() const {
  return on_their_way_ <= threads_.size() ||
         (on_their_way_ < kMostPerThread * threads_.size() && bytes_ < kSmallBytes);
}

void GroupFinisher::begin() {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return has_room(); });
  if (free_.empty()) return;
  void* const recording = free_.back();
  free_.pop_back();
  lock.unlock();
  WARPSCOPE_ABI_SYMBOL_ID.enter(recording);
}

void GroupFinisher::end() {
  void* const recording = WARPSCOPE_ABI_SYMBOL_ID.leave();
  if (threads_.size() < most_threads_) start_thread();
  if (threads_.empty()) {
    finish(recording);
    free_.push_back(recording);
    return;
  }
  const std::size_t bytes = bytes_of(recording);
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(recording);
    ++on_their_way_;
    bytes_ += bytes;
  }
  ended_.notify_one();
}

/// One more, as long as all that there are have work: a launch of few or short work-groups needs none.
void GroupFinisher::start_thread() {
  {
    const std::lock_guard lock(mutex_);
    if (on_their_way_ < threads_.size()) return;
  }
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // the system has no more
    most_threads_ = static_cast<unsigned>(threads_.size());
  }
}

void GroupFinisher::finish(void* recording) {
  WarpscopeAbiV2& table = WARPSCOPE_ABI_SYMBOL_ID;
  table.enter(recording);
  table.end_boxes();  // all of its work-items end
  table.leave();
}

void GroupFinisher::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ended_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    void* const recording = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    const std::size_t bytes = bytes_of(recording);
    finish(recording);
    lock.lock();
    --on_their_way_;
    bytes_ -= bytes;
    free_.push_back(recording);
    finished_.notify_one();
  }
}

}  // namespace warpscope
