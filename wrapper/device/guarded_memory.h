#pragma once
// Memory of kernels' buffers, between pages that keep what strays away from the rest of the process.
#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpscope::device {

/// Bytes around an allocation, on either side.
struct Guards {
  std::size_t room = 0;      ///< at least this many can be read and written, and belong to nothing else
  std::size_t readable = 0;  ///< beyond `room`: zeros, where a store faults
  std::size_t beyond = 0;    ///< beyond: every access faults
  bool exact_end =
      false;  ///< `room` behind the end is exact up to 255 bytes; otherwise that in front is exact
};

/// Accesses that stray go on, and are the same in every run: for kernels all of whose accesses are recorded.
inline constexpr Guards kRecordedGuards{std::size_t{1} << 18, 0, std::size_t{1} << 30, false};
/// As a GPU has it: it hands out 512 bytes at a time, and does not notice loads within its page of 2 MiB.
inline constexpr Guards kGpuGuards{512, std::size_t{2} << 20, 0, true};

/// Zeros at first. The address is a multiple of 256.
class GuardedMemory {
 public:
  /// None when there is not enough memory. Where the process's address space is limited, or it has very many mappings,
  /// guards are smaller.
  static std::optional<GuardedMemory> allocate(std::size_t bytes, const Guards& guards);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// What can be written without harm: data() and the room around it.
  [[nodiscard]] std::uint8_t* writable() const { return writable_; }
  [[nodiscard]] std::size_t writable_size() const { return writable_size_; }

 private:
  GuardedMemory() = default;
  std::uint8_t* map_ = nullptr;
  std::size_t mapped_ = 0;
  std::uint8_t* writable_ = nullptr;
  std::size_t writable_size_ = 0;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpscope::device
