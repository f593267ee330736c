#pragma once
// Threads that work through numbered tasks while the caller prepares the next ones.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace warpscope {

/// The n-th thread begins with the n-th part of the tasks, always the same, so that what a task left in its processor's
/// caches is there the next time; a thread that has none left takes the last one of the thread with the most.
class TaskPool {
 public:
  /// `threads` host threads work, the caller's among them; at least 1.
  explicit TaskPool(std::uint32_t threads);
  ~TaskPool();  ///< drops tasks that no thread has begun
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;
  /// Gives task(0) … task(count - 1) to the threads and returns. Tasks run in any order and at the same time;
  /// what they use must stay until finish(). The tasks before must be finished.
  void start(std::size_t count, std::function<void(std::size_t)> task);
  /// Works too, until all are done. Throws what the first failing task threw.
  void finish();

 private:
  struct Part {
    std::size_t next = 0, end = 0;
    [[nodiscard]] std::size_t left() const { return end - next; }
  };

  void work(std::size_t thread);
  bool take(std::size_t thread, std::unique_lock<std::mutex>& lock);
  std::size_t next_for(std::size_t thread);

  std::mutex mutex_;
  std::condition_variable has_work_, is_done_;
  std::function<void(std::size_t)> task_;
  std::vector<Part> parts_;  ///< each thread's part
  /// Changed by who has the mutex, and looked at without it before a thread goes to sleep.
  std::atomic<std::size_t> left_ = 0, running_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace warpscope
