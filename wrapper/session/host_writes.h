#pragma once
// What the host has written to the memory of a traced program: what changes there between launches. And what its kernels have left there.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "traces/base/types.h"

namespace warpscope::layer {

/// An allocation while it is looked at: the same memory later has another `order`.
struct AllocatedBytes {
  std::uint64_t address = 0, order = 0;
  std::span<const std::uint8_t> bytes;
  bool is_filled = false;  ///< what nobody has written holds unwritten_pattern(order)
};

/// A file of records: launch, address and size as numbers of 64 bits, then `size` bytes that are others than when the launch before ended; or
/// kOfKernels instead of a launch, and bytes that a launch has changed, as they are at the end of their memory or of the program. Whole pieces
/// of kPiece bytes are compared; those that nobody has written are left out. What the host writes while a kernel runs is taken for the
/// kernel's. Thread-safe.
class HostWrites {
 public:
  /// `path`: absolute, appended to by all processes; empty: nothing is done.
  explicit HostWrites(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] bool is_on() const { return !path_.empty(); }

  /// Before a launch runs: appends what has changed. Throws InputError when the file cannot be written.
  void before(LaunchId launch, const std::vector<AllocatedBytes>& memory);
  /// After it has run.
  void after(const std::vector<AllocatedBytes>& memory);
  /// Before memory goes, and at the end.
  void leave(const std::vector<AllocatedBytes>& memory);

  static constexpr std::uint64_t kOfKernels = ~std::uint64_t{0};
  static constexpr std::size_t kPiece = 4096;

 private:
  static constexpr std::uint64_t kMostWritten = std::uint64_t{1} << 30;  ///< bytes, of a process, by each
  static constexpr std::uint64_t kMostLookedAt = std::uint64_t{256} << 30;
  struct Known {
    std::uint64_t order = 0;
    std::vector<std::uint64_t> hashes;  ///< by piece; 0: not known
    std::vector<bool> is_of_kernels;    ///< by piece: a launch has changed it last
  };

  /// Null: more memory has been looked at than may be.
  Known* look_at(const AllocatedBytes& memory);
  /// Appends the pieces that `is_wanted` as records with this head.
  template <class Wanted>
  void append_those(std::uint64_t head, const AllocatedBytes& memory, const Wanted& is_wanted);
  void append(std::uint64_t head, const AllocatedBytes& memory, std::size_t first, std::size_t end);

  const std::string path_;
  std::mutex mutex_;  ///< guards what follows
  std::map<std::uint64_t, Known> known_;
  std::uint64_t by_host_ = 0, by_kernels_ = 0, looked_at_ = 0;
};

}  // namespace warpscope::layer
