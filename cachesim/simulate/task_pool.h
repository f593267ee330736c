#pragma once
// Threads that work through numbered tasks while the caller prepares the next ones.
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace warpscope {

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
  void work();
  bool take(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable has_work_, is_done_;
  std::function<void(std::size_t)> task_;
  std::size_t next_ = 0, count_ = 0, running_ = 0;
  std::exception_ptr failure_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace warpscope
