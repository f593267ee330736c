#pragma once
// Between the cores and the memory: by window, what cores send goes to the lanes of the memory, and replies come back. Cores come in
// shards, as slices of the memory do in lanes: a thread works for one of either at a time, and needs nothing that another one writes.
#include <cstdint>
#include <span>
#include <vector>

#include "cachesim/simulate/task_pool.h"
#include "timed/memory/memory_system.h"

namespace warpscope::timed {

/// Lanes to ask for, of a memory that `threads` serve: some for each, as lanes have not the same to do.
std::uint32_t lanes_for(std::uint32_t threads);

class MemoryExchange {
 public:
  /// `memory` and `pool` outlive this.
  MemoryExchange(MemorySystem& memory, std::uint32_t cores, TaskPool& pool);

  /// Takes what `core` has sent, in order of time, and leaves `outbox` empty. Threads may do so for different cores at the same time.
  void take(std::uint32_t core, std::vector<MemoryRequest>& outbox);
  /// Serves what has left its core before cycle `end`, in order of time, then of cores.
  void serve(Cycle end);
  /// Hands receive() the replies for `core` of what was served since the last call. Threads may do so for different cores at the same
  /// time.
  template <class Receive>
  void reply_to(std::uint32_t core, Receive receive) {
    for (Lane& lane : lanes_) {
      for (const MemoryReply& reply : lane.replies[core]) receive(reply);
      lane.replies[core].clear();
    }
  }

  /// From now on serve() notes what each lane takes of the host's time.
  void time_lanes() { seconds_.resize(lanes_.size()); }
  /// Of the last serve(), by lane.
  [[nodiscard]] std::span<const double> seconds() const { return seconds_; }

 private:
  struct Lane {
    std::vector<std::vector<MemoryRequest>*> senders;  ///< requests of the cores that have sent any
    std::vector<const MemoryRequest*> due, turns;      ///< requests before the end: by core, and in order
    std::vector<std::uint32_t> begins;                 ///< begin of each cycle's requests in `turns`
    std::vector<std::vector<MemoryReply>> replies;     ///< indexed by core
  };
  using Sent = std::vector<std::vector<MemoryRequest>>;  ///< indexed by lane, in the order of sending

  void put_in_order(std::size_t lane, Cycle end);
  void serve(std::size_t lane, Cycle end);

  MemorySystem& memory_;
  TaskPool& pool_;
  std::vector<Lane> lanes_;
  std::vector<Sent> sent_;            ///< requests that are not served yet, by core
  std::vector<std::uint32_t> taken_;  ///< requests since the last serve(), by core
  std::vector<double> seconds_;       ///< empty: not noted
};

}  // namespace warpscope::timed
