#include "cachesim/simulate/task_pool.h"

#include <utility>

namespace warpscope {

TaskPool::TaskPool(std::uint32_t threads) {
  for (std::uint32_t i = 1; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

TaskPool::~TaskPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void TaskPool::start(std::size_t count, std::function<void(std::size_t)> task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
    next_ = 0;
    count_ = count;
  }
  has_work_.notify_all();
}

void TaskPool::finish() {
  std::unique_lock lock(mutex_);
  while (take(lock)) {
  }
  is_done_.wait(lock, [this] { return running_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Runs one task, without the lock while it runs; whether there was one.
bool TaskPool::take(std::unique_lock<std::mutex>& lock) {
  if (next_ == count_) return false;
  const std::size_t number = next_++;
  ++running_;
  lock.unlock();
  std::exception_ptr failure;
  try {
    task_(number);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (failure) {
    if (!failure_) failure_ = failure;
    next_ = count_;  // the others would work for nothing
  }
  if (--running_ == 0 && next_ == count_) is_done_.notify_all();
  return true;
}

void TaskPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [this] { return stopping_ || next_ != count_; });
    if (stopping_) return;
    take(lock);
  }
}

}  // namespace warpscope
