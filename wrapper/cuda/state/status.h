#pragma once
// The CUDA runtime's error state (CUDA Runtime API, "Error Handling").
#include <string>

#include "passes/cuda/include/warpscope/errors.h"
#include "wrapper/cuda/state/calls.h"

namespace warpscope::cuda {

/// An error that an API function returns.
struct Failure {
  cudaError_t code;
};

/// Remembers `code` for cudaGetLastError() of this thread, unless it is cudaSuccess; returns it. After a
/// sticky error that one is returned instead.
cudaError_t note(cudaError_t code);
/// The last error of this thread; `clear`: it is forgotten, unless it is sticky.
cudaError_t last_error(bool clear);
/// A kernel has gone wrong: every later call of the process fails with `code`.
void set_sticky(cudaError_t code);
/// That error; cudaSuccess if there is none.
cudaError_t sticky_error() noexcept;
/// A call that the program made after a kernel had gone wrong has returned that error.
void note_error_seen() noexcept;
bool has_program_seen_error() noexcept;
inline bool is_sticky() {
  return sticky_error() != cudaSuccess;
}

/// One line on standard error: "warpscope: …". Each text once.
void complain(const std::string& text);

/// Runs an API function's work, which returns nothing and throws Failure, and notes how it ended. Nothing
/// else may reach the program: what is not a Failure becomes cudaErrorUnknown with a line that says why.
template <class Work>
cudaError_t run(const Work& work) noexcept;

/// The error for what is being handled in a catch block.
cudaError_t current_failure() noexcept;

template <class Work>
cudaError_t run(const Work& work) noexcept {
  const Call call;
  if (call.refused() != cudaSuccess) {
    if (is_sticky()) note_error_seen();
    return note(call.refused());
  }
  try {
    work();
    return note(cudaSuccess);
  } catch (...) {
    return note(current_failure());
  }
}

/// Throws Failure(`code`) unless `holds`.
inline void require(bool holds, cudaError_t code = cudaErrorInvalidValue) {
  if (!holds) throw Failure{code};
}

}  // namespace warpscope::cuda
