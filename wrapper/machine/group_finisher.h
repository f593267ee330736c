#pragma once
// Work-groups of machine code that have ended, built, compressed and written by other threads than the one that executes.
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace warpscope {

/// While a recorder is active. begin() and end() are the executing thread's, which has one recording at a time
/// (WarpscopeAbiV2::leave, enter).
class GroupFinisher {
 public:
  /// Up to so many work-groups wait or are being finished per thread, as long as their recordings are small.
  static constexpr std::size_t kMostPerThread = 8;
  /// Bytes of recordings on their way from which on no more than one per thread is.
  static constexpr std::size_t kSmallBytes = std::size_t{64} << 20;

  /// `threads` besides the executing one; 0: end() finishes work-groups itself.
  explicit GroupFinisher(unsigned threads);
  /// Returns when all work-groups are finished.
  ~GroupFinisher();
  GroupFinisher(const GroupFinisher&) = delete;
  GroupFinisher& operator=(const GroupFinisher&) = delete;

  /// A work-group begins, in a recording that is free or a new one. The thread has none. Waits while too many are on their way.
  void begin();
  /// The work-group of the thread's recording has ended; the thread has no recording afterwards.
  void end();

 private:
  static void finish(void* recording);
  void work();
  [[nodiscard]] bool has_room() const;
  void start_thread();

  unsigned most_threads_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable ended_, finished_;
  std::deque<void*> waiting_;
  std::vector<void*> free_;
  std::size_t on_their_way_ = 0, bytes_ = 0;  ///< that wait or are being finished; of their recordings
  bool is_over_ = false;
};

}  // namespace warpscope
