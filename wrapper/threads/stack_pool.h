#pragma once
// Stacks of threads, kept for the next block: mapping one costs more than running most threads.
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <vector>

namespace warpscope::threads {

/// Not for several threads at once. `guarded`: below the first stacks lies a page that cannot be accessed; a
/// whole grid's stacks have none, because the system limits the number of such pages.
class StackPool {
 public:
  explicit StackPool(bool guarded) : guarded_(guarded) {}
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Of at least `bytes`. Throws std::bad_alloc.
  boost::context::stack_context take(std::size_t bytes);
  void give_back(const boost::context::stack_context& stack) noexcept;

 private:
  const bool guarded_;
  std::vector<boost::context::stack_context> free_;
  std::size_t bytes_ = 0;  ///< size of each; grows with the kernels
  std::size_t made_ = 0;
};

/// What boost::context::fiber takes.
struct PooledStack {
  StackPool* pool;
  std::size_t bytes;
  boost::context::stack_context allocate() const { return pool->take(bytes); }
  void deallocate(boost::context::stack_context& stack) const noexcept { pool->give_back(stack); }
};

}  // namespace warpscope::threads
