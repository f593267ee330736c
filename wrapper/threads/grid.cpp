#include "wrapper/threads/grid.h"

#include <dlfcn.h>

#include <cstring>
#include <utility>

namespace warpscope::threads {
namespace {

// Dynamic shared memory whose size the kernel does not know: the most that any GPU has.
constexpr std::uint64_t kMostLocalBytes = std::uint64_t{228} << 10;

// Of the layer or of trace-kernel, whichever records; null in a program that is not traced.
const WarpscopeAbiV2* recorder() {
  static const auto* const table =
      static_cast<const WarpscopeAbiV2*>(dlsym(RTLD_DEFAULT, WARPSCOPE_ABI_SYMBOL));
  return table;
}

std::size_t words(std::uint64_t bytes) {
  return (bytes + 7) / 8;
}

}  // namespace

void Grid::start(Group& group, ThreadFunction function, const WarpscopeThreadKernelV1& kernel,
                 const WarpscopeThreadFrameV1& frame) {
  group.frame.resize(words(kernel.frame_bytes));
  auto* const bytes = reinterpret_cast<char*>(group.frame.data());
  std::memcpy(bytes, &frame, kernel.frame_bytes);
  const auto* const locals = reinterpret_cast<const WarpscopeThreadLocalV1*>(&kernel + 1);
  for (std::uint64_t i = 0; i < kernel.locals; ++i) {
    auto& memory =
        group.local.emplace_back(words(locals[i].bytes != 0 ? locals[i].bytes : kMostLocalBytes) + 2);
    // Local arrays may want 16 bytes of alignment.
    auto address = (reinterpret_cast<std::uintptr_t>(memory.data()) + 15) & ~std::uintptr_t{15};
    std::memcpy(bytes + locals[i].offset, &address, sizeof(address));
  }
  group.block = std::make_unique<Block>(function, *reinterpret_cast<WarpscopeThreadFrameV1*>(bytes),
                                        kernel.stack_bytes, stacks_);
}

bool Grid::advance(Group& group) {
  if (group.block->run() == Block::End::Done) return false;
  if (recorder() != nullptr) group.recording = recorder()->leave();
  return true;
}

void Grid::finish() {
  while (!waiting_.empty())
    for (auto group = waiting_.begin(); group != waiting_.end();) {
      if (recorder() != nullptr) recorder()->enter(std::exchange(group->recording, nullptr));
      group = advance(*group) ? std::next(group) : waiting_.erase(group);
    }
}

void Grid::arrive(ThreadFunction function, const WarpscopeThreadKernelV1& kernel,
                  const WarpscopeThreadFrameV1& frame) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace_back();
  start(waiting_.back(), function, kernel, frame);
  if (!advance(waiting_.back())) waiting_.pop_back();
  if (++arrived_ < frame.groups[0] * frame.groups[1] * frame.groups[2]) return;
  arrived_ = 0;
  finish();
}

}  // namespace warpscope::threads
