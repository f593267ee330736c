#pragma once
// Changes of memory whose results depend on their order, such as sums of reals: work-groups that run at the same time note theirs, and they are made
// work-group by work-group.
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace warpscope::machine {

struct Change {
  using Make = void (*)(std::uint8_t* place, std::uint64_t value, std::uint32_t how);
  std::uint8_t* place = nullptr;
  std::uint64_t value = 0;
  Make make = nullptr;
  std::uint32_t how = 0;
};

class OrderedChanges {
 public:
  /// Of one work-group.
  static constexpr std::size_t kMostOfGroup = std::size_t{1} << 22;
  /// That wait, from which on who has some waits, too.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 23;

  /// What the work-group whose turn is `turn` has changed: each turn from 0 on once, each of them after those before it have begun. Thread-safe.
  void end(std::uint64_t turn, std::vector<Change> changes);
  /// There is something wrong: nobody waits any more.
  void give_up();

 private:
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable made_;
  std::map<std::uint64_t, std::vector<Change>> waiting_;  ///< by turn
  std::uint64_t next_ = 0;
  std::size_t count_ = 0;  ///< of those that wait
  bool is_over_ = false;
};

}  // namespace warpscope::machine
