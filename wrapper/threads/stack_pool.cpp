#include "wrapper/threads/stack_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace warpscope::threads {
namespace {

// Of one pool: the system allows some 65,000 mappings per process, a guard costs two, and a machine may have
// hundreds of pools.
constexpr std::size_t kMostGuards = 128;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void unmap(const boost::context::stack_context& stack) {
  munmap(static_cast<char*>(stack.sp) - stack.size, stack.size);
}

}  // namespace

StackPool::~StackPool() {
  for (const auto& stack : free_) unmap(stack);
}

boost::context::stack_context StackPool::take(std::size_t bytes) {
  const std::size_t page = page_bytes();
  bytes = (bytes + page - 1) / page * page + page;
  if (bytes > bytes_) {  // smaller ones are of no use any more
    for (const auto& stack : free_) unmap(stack);
    free_.clear();
    bytes_ = bytes;
  }
  if (!free_.empty()) {
    const auto stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void* const base =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  if (guarded_ && made_++ < kMostGuards) mprotect(base, page, PROT_NONE);
  boost::context::stack_context stack;
  stack.size = bytes_;
  stack.sp = static_cast<char*>(base) + bytes_;
  return stack;
}

void StackPool::give_back(const boost::context::stack_context& stack) noexcept {
  if (stack.size != bytes_) {
    unmap(stack);
    return;
  }
  try {
    free_.push_back(stack);
  } catch (const std::bad_alloc&) {
    unmap(stack);
  }
}

}  // namespace warpscope::threads
