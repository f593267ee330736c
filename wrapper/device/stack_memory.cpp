#include "wrapper/device/stack_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "passes/StackABI.h"

namespace warpscope::device {
namespace {

constexpr const char* kVariable = "WARPSCOPE_STACK_BYTES";
constexpr std::size_t kStackAlignment = 64;

std::uint32_t least_bytes() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr || *text == '\0') return kUsualStackBytes;
  char* end = nullptr;
  const unsigned long long bytes = std::strtoull(text, &end, 10);
  if (*end == '\0' && *text != '-' && bytes > 0 && bytes <= WARPSCOPE_MOST_STACK_BYTES)
    return static_cast<std::uint32_t>(bytes);
  std::fprintf(stderr, "warpscope: %s: '%s': expected bytes from 1 to %u; taken as %u\n", kVariable, text,
               WARPSCOPE_MOST_STACK_BYTES, kUsualStackBytes);
  return kUsualStackBytes;
}

std::atomic<std::size_t> requested = 0;

// Initial-exec: a handler must not allocate.
constinit thread_local StackMemory* current __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

std::uint32_t stack_bytes() {
  static const std::uint32_t least = least_bytes();
  const std::size_t bytes = std::max<std::size_t>(requested.load(std::memory_order_relaxed), least);
  return static_cast<std::uint32_t>(std::min<std::size_t>(bytes, WARPSCOPE_MOST_STACK_BYTES));
}

void request_stack_bytes(std::size_t bytes) {
  requested = bytes;
}

std::size_t requested_stack_bytes() {
  return requested;
}

StackMemory::~StackMemory() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

void* StackMemory::place(std::uint32_t index, std::uint32_t count, std::uint32_t item, std::uint32_t items) {
  const std::size_t each = (stack_bytes() + kStackAlignment - 1) / kStackAlignment * kStackAlignment;
  const std::size_t needed = each * count * items;
  if (needed > bytes_) {
    if (base_ != nullptr) munmap(base_, bytes_);
    bytes_ = 0;
    // Only what is used becomes memory.
    base_ = mmap(nullptr, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base_ == MAP_FAILED) {
      base_ = nullptr;
      throw std::bad_alloc();
    }
    bytes_ = needed;
  }
  return static_cast<char*>(base_) + each * (std::size_t{index} * items + item);
}

StackMemory* exchange_stacks(StackMemory* stacks) noexcept {
  return std::exchange(current, stacks);
}

bool has_own_stacks() noexcept {
  return current != nullptr;
}

StackMemory& running_stacks() {
  thread_local StackMemory own;
  return current != nullptr ? *current : own;
}

}  // namespace warpscope::device
