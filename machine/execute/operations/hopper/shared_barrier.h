#pragma once
// A barrier in shared memory (mbarrier), sm_90.
#include <cstdint>
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/group.h"

namespace warpscope::machine {

/// A barrier as ptxas's code makes one and takes it apart: bits 1 to 20 have the arrivals that a phase needs, 21 to 42 the bytes still to
/// come, 43 to 62 the arrivals still to come, both arrivals as 2^20 minus the number; 63 the phase.
class SharedBarrier {
 public:
  explicit SharedBarrier(std::uint8_t* at) : at_(at) { std::memcpy(&word_, at, 8); }

  [[nodiscard]] std::uint64_t word() const { return word_; }
  void arrive(std::uint32_t arrivals) {
    if (arrivals > number(43)) throw ExecutionFault("more arrive at a barrier than it waits for");
    set(43, number(43) - arrivals);
  }
  /// The phases to come need so many arrivals less.
  void leave(std::uint32_t arrivals) { set(1, number(1) - arrivals); }
  void expect(std::int64_t bytes) {
    const std::int64_t sum = static_cast<std::int64_t>(word_ << 21) >> 42;
    word_ = (word_ & ~(kBytes << 21U)) | (static_cast<std::uint64_t>(sum + bytes) & kBytes) << 21U;
  }
  /// Ends the phase if nothing is to come, and stores the barrier, which is in the shared memory of the cluster.
  void store(const Cluster& cluster) {
    const bool ends = number(43) == 0 && (word_ >> 21U & kBytes) == 0;
    if (ends) {
      set(43, number(1));
      word_ ^= std::uint64_t{1} << 63U;
    }
    std::memcpy(at_, &word_, 8);
    if (ends) cluster.end_phase(at_, word_ >> 63 == 0);
  }

 private:
  static constexpr std::uint64_t kArrivals = (1U << 20U) - 1, kBytes = (1U << 22U) - 1;

  [[nodiscard]] std::uint64_t number(unsigned bit) const { return (0 - (word_ >> bit)) & kArrivals; }
  void set(unsigned bit, std::uint64_t number) {
    word_ = (word_ & ~(kArrivals << bit)) | ((0 - number) & kArrivals) << bit;
  }

  std::uint8_t* at_;
  std::uint64_t word_ = 0;
};

inline std::uint8_t* barrier_at(Warp& warp, unsigned lane, std::uint64_t address) {
  return place_of<Space::Shared>(warp, lane, address, 8);
}

/// Of any work-group of the cluster.
inline std::uint8_t* barrier_of_cluster(Warp& warp, unsigned lane, std::uint64_t address) {
  return place_of<Space::Cluster>(warp, lane, address, 8);
}

/// Bytes that a barrier of the cluster waits for have come.
inline void complete(Warp& warp, unsigned lane, std::uint64_t barrier_address, std::uint64_t bytes) {
  SharedBarrier barrier(barrier_of_cluster(warp, lane, barrier_address));
  barrier.expect(-static_cast<std::int64_t>(bytes));
  barrier.store(warp.group().cluster());
}

}  // namespace warpscope::machine
