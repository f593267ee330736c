#pragma once
// The threads of one work-group, each on a stack of its own. They run in turn on one thread of the host: each
// until it waits for others, ends, or polls.
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <vector>

#include "passes/RuntimeABI.h"
#include "wrapper/device/stack_memory.h"
#include "wrapper/threads/stack_pool.h"
#include "wrapper/threads/warp_exchange.h"

namespace warpscope::threads {

/// A thread's code: its frame, and itself.
using ThreadFunction = void (*)(WarpscopeThreadFrameV1*, WarpscopeThreadV1*);

class Block {
 public:
  enum class End : std::uint8_t { Done, AtGridBarrier };

  /// `frame` outlives the block. `stack_bytes`: of a thread's own variables. Throws std::bad_alloc.
  Block(ThreadFunction function, WarpscopeThreadFrameV1& frame, std::size_t stack_bytes, StackPool& stacks);

  /// Runs until all threads have ended, or all that have not are at the grid's barrier. Another call goes on
  /// behind that.
  End run();

  // What the running thread calls.
  void barrier();
  std::uint32_t barrier_count(std::uint32_t predicate);
  std::uint64_t exchange(const Offer& offer);
  void poll();
  void grid_barrier();

 private:
  enum class State : std::uint8_t { Ready, AtBarrier, InExchange, AtGridBarrier, Done };
  struct Thread {
    WarpscopeThreadV1 self{};
    boost::context::fiber fiber;
    State state = State::Ready;
    Offer offer;
    std::uint64_t result = 0;
  };

  void start(Thread& thread);
  void wait(State state);
  /// What has become possible since thread `index` waits or has ended.
  void settle(std::size_t index);
  void settle_barrier();
  void settle_masked(std::size_t warp, std::uint32_t mask);
  /// Lets those go on that wait for whoever comes, once nobody of their warp can come any more.
  bool settle_unmasked(bool although_some_run);
  /// Nothing else is possible: lets those go on that wait for threads that do not come.
  bool settle_stuck();
  void release(std::size_t warp, std::uint32_t lanes);
  [[nodiscard]] std::uint32_t lanes_of(std::size_t warp, auto&& wanted) const;

  ThreadFunction function_;
  device::StackMemory frames_of_calls_;
  WarpscopeThreadFrameV1& frame_;
  std::vector<Thread> threads_;
  boost::context::fiber scheduler_;
  std::size_t running_ = 0, live_ = 0, at_barrier_ = 0, at_grid_barrier_ = 0;
  std::uint32_t predicates_ = 0, counted_ = 0;
  std::uint64_t released_ = 0;  ///< how often threads were let go on or ended: progress
};

/// The block whose thread runs on this thread of the host.
Block& running_block();

}  // namespace warpscope::threads
