#include "machine/execute/base/claims.h"

#include <algorithm>

namespace warpscope::machine {
namespace {

[[noreturn]] void meet() {
  throw InTurns{"work-groups access what others write"};
}

}  // namespace

void ClaimedMemory::open() {
  const std::lock_guard lock(mutex_);
  if (use_.load(std::memory_order_acquire) == Use::Written) return;
  // An access of 16 bytes at the end of the allocation may reach behind its last whole word.
  const std::uint64_t needed = 2 * allocation_.bytes;
  if (bytes_.fetch_add(needed) + needed <= kMostBytes) claims_ = zeroed_words(allocation_.bytes / 4 + 4);
  if (claims_ == nullptr) throw InTurns{"there is not enough memory to follow what work-groups write"};
  before_.assign(allocation_.data, allocation_.data + allocation_.bytes);
  Use none = Use::None;
  if (use_.compare_exchange_strong(none, Use::Written)) return;
  was_read_before_ = true;
  throw InTurns{"work-groups write what was read", true};
}

void ClaimedMemory::claim_read(std::uint64_t word, std::uint32_t group, std::uint32_t now) {
  while (now != kReadBySeveral) {
    const std::uint32_t kind = now & kKindMask;
    if (kind == kReduced || (kind == kWritten && now >> kKindBits != group)) meet();
    if (now != 0 && now >> kKindBits == group) return;
    const std::uint32_t next = now == 0 ? group << kKindBits | kRead : kReadBySeveral;
    if (claim(word).compare_exchange_weak(now, next, std::memory_order_relaxed)) return;
  }
}

void ClaimedMemory::claim_write(std::uint64_t word, std::uint32_t group, std::uint32_t now) {
  const std::uint32_t next = group << kKindBits | kWritten;
  do {
    if (now != 0 && ((now & kKindMask) == kReduced || now >> kKindBits != group)) meet();
  } while (!claim(word).compare_exchange_weak(now, next, std::memory_order_relaxed));
}

void ClaimedMemory::reduce(std::uint64_t word, std::uint32_t how) {
  const std::uint32_t next = how << kKindBits | kReduced;
  std::uint32_t now = claim(word).load(std::memory_order_relaxed);
  while (now != next) {
    if (now != 0) meet();
    if (claim(word).compare_exchange_weak(now, next, std::memory_order_relaxed)) return;
  }
}

void ClaimedMemory::undo() {
  if (use_.load() == Use::Written) std::copy(before_.begin(), before_.end(), allocation_.data);
}

Claims::Claims(const DeviceMemory& memory) {
  for (const auto& [address, allocation] : memory.all())
    all_[address] = std::make_unique<ClaimedMemory>(allocation, bytes_);
}

void Claims::learn_from(const Claims& before, bool all) {
  for (const auto& [address, memory] : before.all_)
    if (all || memory->was_read_before()) all_.at(address)->claim_words();
}

void Claims::undo() {
  for (const auto& [address, memory] : all_) memory->undo();
}

}  // namespace warpscope::machine
