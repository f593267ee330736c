#pragma once
// The memory that a traced program has allocated: which of it nobody has written when a launch begins, and what is left at the end.
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "traces/program/unwritten.h"
#include "wrapper/session/host_writes.h"

namespace warpscope::layer {

/// Thread-safe. Memory that is fresh holds a pattern (traces/program/unwritten_pattern.h), and what still holds it is taken for unwritten:
/// four bytes in a row, or eight where there are few such places. So the host may write as it likes.
class Allocations {
 public:
  /// Off, it does nothing and knows nothing. `host_writes`: outlives this.
  Allocations(bool is_on, HostWrites& host_writes) : is_on_(is_on), host_writes_(host_writes) {}

  /// `is_fresh`: nobody has written it, and `address` can be written. Of more than 512 MiB, or where all together are more than
  /// 2 GiB, it counts as written.
  void add(std::uint64_t address, std::uint64_t bytes, const std::string& name, bool is_fresh);
  /// The buffer of the capture that begins at `address`; its name counts where add() had none.
  void number(std::uint64_t address, BufferId id, const std::string& name);
  /// Before the memory goes.
  void remove(std::uint64_t address);

  /// What nobody has written of these buffers; they may come twice.
  UnwrittenOfLaunch unwritten(std::vector<BufferId> buffers);
  /// What HostWrites asks for, of all memory: before and after a launch runs, and at the end.
  void begin_launch(LaunchId launch) const;
  void end_launch() const;
  void leave() const;
  /// Those that are there, in the order in which they were made.
  [[nodiscard]] std::vector<LeftAllocation> left() const;

 private:
  static constexpr std::uint64_t kMostOfOne = std::uint64_t{512} << 20;
  static constexpr std::uint64_t kMostOfAll = std::uint64_t{2} << 30;
  static constexpr std::uint64_t kMostScanned = std::uint64_t{64} << 30;  ///< by all launches: some seconds
  static constexpr std::size_t kMostParts = 4096;                         ///< of a launch

  struct Part {
    std::uint64_t first, end;
  };
  struct Allocation {
    std::uint64_t bytes = 0, order = 0;
    BufferId id;
    std::string name;
    bool is_filled = false, is_too_large = false;
    std::vector<Part> unwritten;  ///< when it was looked at last
  };
  [[nodiscard]] std::vector<AllocatedBytes> all() const;  ///< under the lock
  static void look_at(std::uint64_t address, Allocation& allocation);
  static void drop_accidents(std::vector<Part>& parts, std::uint64_t bytes);

  const bool is_on_;
  HostWrites& host_writes_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::map<std::uint64_t, Allocation> by_address_;
  std::map<BufferId, std::uint64_t> address_of_;
  std::uint64_t orders_ = 0, filled_ = 0, scanned_ = 0;
};

}  // namespace warpscope::layer
