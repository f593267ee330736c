#include "cachesim/simulate/task_pool.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace warpscope {
namespace {

/// Waits for what most often comes soon: being woken takes as long as a small task, above all in a virtual machine.
template <class Condition>
void look_for_a_while(std::unique_lock<std::mutex>& lock, Condition holds) {
  lock.unlock();
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
  while (!holds() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  lock.lock();
}

}  // namespace

TaskPool::TaskPool(std::uint32_t threads) : parts_(std::max(threads, 1u)) {
  for (std::uint32_t i = 1; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
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
    left_ = count;
    for (std::size_t thread = 0; thread < parts_.size(); ++thread)
      parts_[thread] = {count * thread / parts_.size(), count * (thread + 1) / parts_.size()};
  }
  has_work_.notify_all();
}

void TaskPool::finish() {
  std::unique_lock lock(mutex_);
  while (take(0, lock)) {
  }
  const auto is_done = [this] { return running_ == 0; };
  if (!is_done()) look_for_a_while(lock, is_done);
  is_done_.wait(lock, is_done);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// There is one.
std::size_t TaskPool::next_for(std::size_t thread) {
  --left_;
  if (parts_[thread].left() != 0) return parts_[thread].next++;
  return --std::max_element(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
             return a.left() < b.left();
           })->end;
}

/// Runs one task, without the lock while it runs; whether there was one.
bool TaskPool::take(std::size_t thread, std::unique_lock<std::mutex>& lock) {
  if (left_ == 0) return false;
  const std::size_t number = next_for(thread);
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
    left_ = 0;  // the others would work for nothing
  }
  if (--running_ == 0 && left_ == 0) is_done_.notify_all();
  return true;
}

void TaskPool::work(std::size_t thread) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto has_work = [this] { return stopping_ || left_ != 0; };
    if (!has_work()) look_for_a_while(lock, has_work);
    has_work_.wait(lock, has_work);
    if (stopping_) return;
    take(thread, lock);
  }
}

}  // namespace warpscope
