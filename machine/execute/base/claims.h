#pragma once
// Work-groups that run at the same time claim the words of global memory that they touch: as long as nobody touches what another one writes, their
// order does not matter, and what they do is what they would do one after the other.
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "machine/execute/base/device_memory.h"
#include "machine/execute/base/zeroed_words.h"

namespace warpscope::machine {

/// A work-group does what depends on the order of work-groups: all have to run again, in turns. Memory is as if none had run after
/// Claims::undo().
struct InTurns {
  std::string why;         ///< "work-groups access what others write"
  bool can_retry = false;  ///< not in turns, but with another allocation claimed word by word
};

/// Of one allocation. All functions but the constructor and undo() may be called by several threads.
class ClaimedMemory {
 public:
  /// Words of 4 bytes are claimed, so bytes of one word that belong to several work-groups count as the same.
  /// `bytes`: of claims and copies of all of the launch; both outlive this.
  ClaimedMemory(const Allocation& allocation, std::atomic<std::uint64_t>& bytes)
      : allocation_(allocation), bytes_(bytes) {}
  ClaimedMemory(const ClaimedMemory&) = delete;
  ClaimedMemory& operator=(const ClaimedMemory&) = delete;

  /// Before a work-group reads. False: nobody has written, and what is read need not be claimed.
  bool begin_reading() {
    Use use = use_.load(std::memory_order_acquire);
    if (use == Use::None) use_.compare_exchange_strong(use, Use::Read);
    return use == Use::Written;
  }
  /// Before a work-group writes. Throws InTurns after reads that were not claimed.
  void begin_writing() {
    if (use_.load(std::memory_order_acquire) != Use::Written) open();
  }
  /// After begin_reading() gave true, or begin_writing(): claims a word for a work-group (1 + its number). Throws InTurns if another
  /// has it.
  void read(std::uint64_t word, std::uint32_t group) {
    const std::uint32_t now = claim(word).load(std::memory_order_relaxed);
    if (now != kReadBySeveral && (now >> kKindBits != group || (now & kKindMask) == kReduced))
      claim_read(word, group, now);
  }
  void write(std::uint64_t word, std::uint32_t group) {
    const std::uint32_t now = claim(word).load(std::memory_order_relaxed);
    if (now != (group << kKindBits | kWritten)) claim_write(word, group, now);
  }
  /// After begin_writing(): the word is changed by reductions, all of which are `how`, below 2^29, and nobody reads it.
  void reduce(std::uint64_t word, std::uint32_t how);

  /// Of the caller, before the work-groups begin: all is claimed word by word from the beginning. Throws InTurns for lack of memory.
  void claim_words() {
    open();
    was_read_before_ = true;
  }
  /// Whether begin_writing() threw because of reads that were not claimed, or claim_words() was called.
  [[nodiscard]] bool was_read_before() const { return was_read_before_; }
  /// When no work-group runs any more: memory as it was before the first began.
  void undo();

  /// Bytes of all claims and copies of a launch.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
  /// Of work-groups.
  static constexpr std::uint64_t kMostGroups = (std::uint64_t{1} << 29) - 2;

 private:
  enum class Use : std::uint8_t { None, Read, Written };
  static constexpr unsigned kKindBits = 2;
  static constexpr std::uint32_t kKindMask = 3, kRead = 1, kWritten = 2, kReduced = 3;
  static constexpr std::uint32_t kReadBySeveral = ~std::uint32_t{0} << kKindBits | kRead;

  [[nodiscard]] std::atomic_ref<std::uint32_t> claim(std::uint64_t word) const {
    return std::atomic_ref<std::uint32_t>(claims_[word]);
  }
  void open();
  void claim_read(std::uint64_t word, std::uint32_t group, std::uint32_t now);
  void claim_write(std::uint64_t word, std::uint32_t group, std::uint32_t now);

  const Allocation& allocation_;
  std::atomic<std::uint64_t>& bytes_;
  std::atomic<Use> use_{Use::None};
  std::mutex mutex_;    ///< guards what follows until `use_` is Written
  ZeroedWords claims_;  ///< of each word: 0, or who and Kind
  std::vector<std::uint8_t> before_;
  bool was_read_before_ = false;
};

/// Of all allocations of a launch.
class Claims {
 public:
  /// `memory` outlives this, and gets no allocations meanwhile.
  explicit Claims(const DeviceMemory& memory);
  /// What was read before it was written is claimed word by word from the beginning; with `all` everything is. Throws InTurns.
  void learn_from(const Claims& before, bool all);
  [[nodiscard]] ClaimedMemory& of(const Allocation& allocation) { return *all_.at(allocation.address); }
  void undo();

 private:
  std::atomic<std::uint64_t> bytes_{0};
  std::map<std::uint64_t, std::unique_ptr<ClaimedMemory>> all_;  ///< by address
};

}  // namespace warpscope::machine
