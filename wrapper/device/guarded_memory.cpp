#include "wrapper/device/guarded_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <atomic>
#include <utility>

namespace warpscope::device {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPlaceAlignment =
    256;  // what cudaMalloc() promises, and more than any OpenCL type needs

/// Linux allows 65,530 mappings; an allocation takes two or three, and the rest of the process needs some.
constexpr int kMostWithGuards = 16'000;
std::atomic<int> with_guards = 0;

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

bool is_address_space_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// Address space only: nothing in it can be accessed.
std::uint8_t* reserve(std::size_t bytes) {
  void* const map = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return map == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(map);
}

}  // namespace

std::optional<GuardedMemory> GuardedMemory::allocate(std::size_t bytes, const Guards& guards) {
  Guards kept = guards;
  if (is_address_space_limited()) kept.beyond = kept.readable = 0;
  if (with_guards.load() >= kMostWithGuards) kept.beyond = kept.readable = 0;
  if (bytes > (std::size_t{1} << 46)) return std::nullopt;
  const std::size_t behind =
      guards.exact_end ? rounded_up(bytes + guards.room, kPlaceAlignment) : bytes + guards.room;
  const std::size_t front = guards.exact_end ? 0 : rounded_up(guards.room, kPage);
  GuardedMemory result;
  result.size_ = bytes;
  result.writable_size_ = front + rounded_up(behind, kPage);
  const std::size_t side = kept.beyond + kept.readable;
  result.mapped_ = result.writable_size_ + 2 * side;
  result.map_ = reserve(result.mapped_);
  if (result.map_ == nullptr) return std::nullopt;
  result.writable_ = result.map_ + side;
  result.data_ =
      guards.exact_end ? result.writable_ + result.writable_size_ - behind : result.writable_ + front;
  if (side != 0) ++with_guards;
  if (kept.readable != 0 &&
      ::mprotect(result.map_ + kept.beyond, result.mapped_ - 2 * kept.beyond, PROT_READ) != 0)
    return std::nullopt;
  if (::mprotect(result.writable_, result.writable_size_, PROT_READ | PROT_WRITE) != 0) return std::nullopt;
  return result;
}

GuardedMemory::~GuardedMemory() {
  if (map_ == nullptr) return;
  if (mapped_ != writable_size_) --with_guards;
  ::munmap(map_, mapped_);
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept {
  *this = std::move(other);
}

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
  std::swap(map_, other.map_);
  std::swap(mapped_, other.mapped_);
  std::swap(writable_, other.writable_);
  std::swap(writable_size_, other.writable_size_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace warpscope::device
