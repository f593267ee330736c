#include "wrapper/threads/block.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace warpscope::threads {
namespace {

// Rounds in which threads only poll before those are let go on that wait for whoever comes: a poller may wait
// for them.
constexpr std::uint32_t kIdleRounds = 64;
// Calls of built-in functions and of the recorder need this much in addition to a thread's own variables.
constexpr std::size_t kStackForCalls = std::size_t{48} << 10;

thread_local Block* t_block = nullptr;

const WarpscopeThreadCallsV1 kCalls = {
    [] { running_block().barrier(); },
    [](std::uint32_t predicate) { return running_block().barrier_count(predicate); },
    [](std::uint32_t kind, std::uint32_t mask, std::uint64_t value, std::uint32_t operand) {
      return running_block().exchange(
          {static_cast<WarpscopeExchange>(kind), mask, value, operand, __builtin_return_address(0)});
    },
    [] { running_block().poll(); },
    [] { running_block().grid_barrier(); },
    std::printf,
};

}  // namespace

// Not inlined: after a switch the thread of the host may be another one, with another t_block.
[[gnu::noinline]] Block& running_block() {
  return *t_block;
}

Block::Block(ThreadFunction function, WarpscopeThreadFrameV1& frame, std::size_t stack_bytes,
             StackPool& stacks)
    : function_(function), frame_(frame) {
  const std::uint64_t* size = frame.local_size;
  threads_.resize(size[0] * size[1] * size[2]);
  live_ = threads_.size();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    thread.self = {{i % size[0], i / size[0] % size[1], i / size[0] / size[1]}, &kCalls};
    thread.fiber =
        boost::context::fiber(std::allocator_arg, PooledStack{&stacks, stack_bytes + kStackForCalls},
                              [this, &thread](boost::context::fiber&& scheduler) {
                                scheduler_ = std::move(scheduler);
                                function_(&frame_, &thread.self);
                                return std::move(scheduler_);
                              });
  }
}

void Block::start(Thread& thread) {
  thread.fiber = std::move(thread.fiber).resume();
  if (thread.fiber) return;
  thread.state = State::Done;
  --live_;
  ++released_;
  settle(static_cast<std::size_t>(&thread - threads_.data()));
}

Block::End Block::run() {
  Block* const outer = std::exchange(t_block, this);
  device::StackMemory* const outer_frames = device::exchange_stacks(&frames_of_calls_);
  std::uint32_t idle = 0;
  while (live_ != at_grid_barrier_) {
    const std::uint64_t before = released_;
    bool some_ran = false;
    for (running_ = 0; running_ < threads_.size(); ++running_)
      if (threads_[running_].state == State::Ready) {
        some_ran = true;
        start(threads_[running_]);
      }
    if (settle_unmasked(idle >= kIdleRounds) || released_ != before) {
      idle = 0;
    } else if (some_ran) {  // they poll: what they wait for may come from another block
      ++idle;
      sched_yield();
    } else if (!settle_stuck()) {
      break;
    }
  }
  t_block = outer;
  device::exchange_stacks(outer_frames);
  if (live_ == 0) return End::Done;
  for (Thread& thread : threads_)
    if (thread.state == State::AtGridBarrier) thread.state = State::Ready;
  at_grid_barrier_ = 0;
  return End::AtGridBarrier;
}

void Block::wait(State state) {
  Thread& own = threads_[running_];
  own.state = state;
  settle(running_);
  if (own.state != State::Ready) scheduler_ = std::move(scheduler_).resume();
}

void Block::barrier() {
  barrier_count(0);
}

std::uint32_t Block::barrier_count(std::uint32_t predicate) {
  ++at_barrier_;
  predicates_ += predicate != 0 ? 1 : 0;
  wait(State::AtBarrier);
  return counted_;
}

std::uint64_t Block::exchange(const Offer& offer) {
  const std::size_t own = running_;
  threads_[own].offer = offer;
  wait(State::InExchange);
  return threads_[own].result;
}

void Block::poll() {
  scheduler_ = std::move(scheduler_).resume();
}

void Block::grid_barrier() {
  ++at_grid_barrier_;
  wait(State::AtGridBarrier);
}

std::uint32_t Block::lanes_of(std::size_t warp, auto&& wanted) const {
  std::uint32_t lanes = 0;
  const std::size_t first = warp * kWarpThreads;
  for (std::uint32_t lane = 0; lane < kWarpThreads && first + lane < threads_.size(); ++lane)
    lanes |= std::uint32_t{wanted(threads_[first + lane])} << lane;
  return lanes;
}

void Block::settle(std::size_t index) {
  settle_barrier();
  const Thread& thread = threads_[index];
  const std::size_t warp = index / kWarpThreads;
  if (thread.state == State::InExchange && thread.offer.mask != 0) {
    settle_masked(warp, thread.offer.mask);
  } else if (thread.state == State::Done) {  // others may have waited for it
    std::uint32_t open = lanes_of(
        warp, [](const Thread& other) { return other.state == State::InExchange && other.offer.mask != 0; });
    for (; open != 0; open &= open - 1) {
      const Thread& other = threads_[warp * kWarpThreads + static_cast<std::size_t>(__builtin_ctz(open))];
      if (other.state == State::InExchange) settle_masked(warp, other.offer.mask);
    }
  }
}

void Block::settle_barrier() {
  if (at_barrier_ == 0 || at_barrier_ != live_) return;
  counted_ = std::exchange(predicates_, 0);
  at_barrier_ = 0;
  ++released_;
  for (Thread& thread : threads_)
    if (thread.state == State::AtBarrier) thread.state = State::Ready;
}

void Block::settle_masked(std::size_t warp, std::uint32_t mask) {
  const std::uint32_t expected =
      mask & lanes_of(warp, [](const Thread& thread) { return thread.state != State::Done; });
  const std::uint32_t here = lanes_of(warp, [&](const Thread& thread) {
    return thread.state == State::InExchange && thread.offer.mask == mask;
  });
  if (expected != 0 && (here & expected) == expected) release(warp, here);
}

bool Block::settle_unmasked(bool although_some_run) {
  bool any = false;
  const std::size_t warps = (threads_.size() + kWarpThreads - 1) / kWarpThreads;
  for (std::size_t warp = 0; warp < warps; ++warp) {
    const auto waits = [](const Thread& thread) {
      return thread.state == State::InExchange && thread.offer.mask == 0;
    };
    const std::uint32_t waiting = lanes_of(warp, waits);
    if (waiting == 0) continue;
    if (!although_some_run &&
        lanes_of(warp, [](const Thread& thread) { return thread.state == State::Ready; }) != 0)
      continue;
    const auto first = warp * kWarpThreads + static_cast<std::size_t>(__builtin_ctz(waiting));
    const void* const place = threads_[first].offer.place;
    release(warp, lanes_of(warp, [&](const Thread& thread) {
              return waits(thread) && thread.offer.place == place;
            }));
    any = true;
  }
  return any;
}

bool Block::settle_stuck() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state != State::InExchange) continue;
    const void* const place = threads_[i].offer.place;
    release(i / kWarpThreads, lanes_of(i / kWarpThreads, [&](const Thread& thread) {
              return thread.state == State::InExchange && thread.offer.place == place;
            }));
    return true;
  }
  if (at_barrier_ == 0) return false;
  counted_ = std::exchange(predicates_, 0);
  at_barrier_ = 0;
  ++released_;
  for (Thread& thread : threads_)
    if (thread.state == State::AtBarrier) thread.state = State::Ready;
  return true;
}

void Block::release(std::size_t warp, std::uint32_t lanes) {
  WarpValues values;
  values.lanes = lanes;
  const std::size_t first = warp * kWarpThreads;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(__builtin_ctz(rest));
    values.value[lane] = threads_[first + lane].offer.value;
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    Thread& thread = threads_[first + static_cast<std::size_t>(__builtin_ctz(rest))];
    thread.result = exchanged(values, thread.offer);
    thread.state = State::Ready;
  }
  ++released_;
}

}  // namespace warpscope::threads
