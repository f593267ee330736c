#pragma once
// malloc() and free() of device code, in memory that the host gives.
#include <cstdint>
#include <mutex>

#include "machine/execute/base/first_fit.h"

namespace warpscope::device {

/// Thread-safe.
class Heap {
 public:
  static Heap& get();

  /// Once, before the first kernel that allocates.
  void give(std::uint64_t base, std::uint64_t bytes);
  [[nodiscard]] bool has_memory() const;
  /// As FirstFit has it.
  std::uint64_t allocate(std::uint64_t bytes);
  bool release(std::uint64_t address);

 private:
  mutable std::mutex mutex_;
  machine::FirstFit blocks_;
  bool has_memory_ = false;
};

}  // namespace warpscope::device
