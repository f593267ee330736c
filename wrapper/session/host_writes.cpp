#include "wrapper/session/host_writes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "traces/base/error.h"
#include "traces/program/unwritten_pattern.h"

namespace warpscope::layer {
namespace {

static_assert(HostWrites::kPiece == kPatternBytes);

/// Never 0.
std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash | 1;
}

std::span<const std::uint8_t> piece_of(const AllocatedBytes& memory, std::size_t piece) {
  const std::size_t first = piece * HostWrites::kPiece;
  return memory.bytes.subspan(first, std::min(HostWrites::kPiece, memory.bytes.size() - first));
}

}  // namespace

HostWrites::Known* HostWrites::look_at(const AllocatedBytes& memory) {
  looked_at_ += memory.bytes.size();
  if (looked_at_ > kMostLookedAt) return nullptr;
  Known& found = known_[memory.address];
  if (found.order != memory.order) {
    const std::size_t pieces = (memory.bytes.size() + kPiece - 1) / kPiece;
    found = {memory.order, std::vector<std::uint64_t>(pieces), std::vector<bool>(pieces)};
  }
  return &found;
}

void HostWrites::before(LaunchId launch, const std::vector<AllocatedBytes>& memory) {
  if (!is_on()) return;
  const std::lock_guard lock(mutex_);
  for (const AllocatedBytes& one : memory) {
    Known* const of = look_at(one);
    if (of == nullptr) return;
    const auto pattern =
        one.is_filled ? unwritten_pattern(one.order) : std::array<std::uint8_t, kPatternBytes>{};
    append_those(launch.value(), one, [&](std::size_t piece) {
      const auto bytes = piece_of(one, piece);
      const std::uint64_t hash = hash_of(bytes);
      if (hash == std::exchange(of->hashes[piece], hash)) return false;
      of->is_of_kernels[piece] = false;
      return !one.is_filled || !std::equal(bytes.begin(), bytes.end(), pattern.begin());
    });
  }
}

void HostWrites::after(const std::vector<AllocatedBytes>& memory) {
  if (!is_on()) return;
  const std::lock_guard lock(mutex_);
  for (const AllocatedBytes& one : memory) {
    Known* const of = look_at(one);
    if (of == nullptr) return;
    for (std::size_t piece = 0; piece < of->hashes.size(); ++piece) {
      const std::uint64_t hash = hash_of(piece_of(one, piece));
      if (hash != std::exchange(of->hashes[piece], hash)) of->is_of_kernels[piece] = true;
    }
  }
}

void HostWrites::leave(const std::vector<AllocatedBytes>& memory) {
  if (!is_on()) return;
  const std::lock_guard lock(mutex_);
  for (const AllocatedBytes& one : memory) {
    const auto found = known_.find(one.address);
    if (found == known_.end() || found->second.order != one.order) continue;
    append_those(kOfKernels, one, [&](std::size_t piece) { return found->second.is_of_kernels[piece]; });
    known_.erase(found);
  }
}

template <class Wanted>
void HostWrites::append_those(std::uint64_t head, const AllocatedBytes& memory, const Wanted& is_wanted) {
  const std::size_t pieces = (memory.bytes.size() + kPiece - 1) / kPiece;
  std::size_t first = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (is_wanted(piece)) continue;
    if (piece != first) append(head, memory, first, piece);
    first = piece + 1;
  }
  if (first != pieces) append(head, memory, first, pieces);
}

/// The pieces from `first` to `end` as one record.
void HostWrites::append(std::uint64_t head, const AllocatedBytes& memory, std::size_t first,
                        std::size_t end) {
  const std::size_t begin = first * kPiece, size = std::min(end * kPiece, memory.bytes.size()) - begin;
  std::uint64_t& written = head == kOfKernels ? by_kernels_ : by_host_;
  if (written + size > kMostWritten) return;
  written += size;
  const std::array<std::uint64_t, 3> numbers{head, memory.address + begin, size};
  std::vector<std::uint8_t> record(sizeof numbers + size);
  std::memcpy(record.data(), numbers.data(), sizeof numbers);
  std::memcpy(record.data() + sizeof numbers, memory.bytes.data() + begin, size);
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool is_done =
      file >= 0 && ::write(file, record.data(), record.size()) == static_cast<ssize_t>(record.size());
  if (file >= 0) ::close(file);
  if (!is_done) throw InputError("--host-writes " + path_ + ": cannot be written");
}

}  // namespace warpscope::layer
