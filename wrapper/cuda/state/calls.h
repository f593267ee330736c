#pragma once
// Calls of the API while the process ends, in a forked child, and after an error that stays.
#include "passes/cuda/include/warpscope/errors.h"

namespace warpscope::cuda {

/// One call of the API, nested ones included, from its begin to its end.
class Call {
 public:
  Call() noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Not cudaSuccess: what the call returns instead of doing anything. After a sticky error that one; in a forked
  /// child cudaErrorInitializationError; while the process ends cudaErrorCudartUnloading, but not for the thread that
  /// ends it: destructors of the program's variables may still free their memory.
  [[nodiscard]] cudaError_t refused() const noexcept { return refused_; }

 private:
  cudaError_t refused_;
};

/// Once, after PoCL has been initialised, so that the process waits for calls of other threads before PoCL's own
/// variables are destroyed.
void watch_process();

}  // namespace warpscope::cuda
