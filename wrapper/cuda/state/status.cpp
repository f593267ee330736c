#include "wrapper/cuda/state/status.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <set>

namespace warpscope::cuda {
namespace {

thread_local cudaError_t last = cudaSuccess;
std::atomic<cudaError_t> sticky = cudaSuccess;
std::atomic<bool> is_error_seen = false;

}  // namespace

cudaError_t note(cudaError_t code) {
  if (const cudaError_t earlier = sticky.load(); earlier != cudaSuccess) code = earlier;
  // cudaErrorNotReady is an answer, not an error (cudaStreamQuery).
  if (code != cudaSuccess && code != cudaErrorNotReady) last = code;
  return code;
}

cudaError_t last_error(bool clear) {
  if (const cudaError_t earlier = sticky.load(); earlier != cudaSuccess) {
    is_error_seen = true;
    return earlier;
  }
  const cudaError_t result = last;
  if (clear) last = cudaSuccess;
  return result;
}

void set_sticky(cudaError_t code) {
  cudaError_t none = cudaSuccess;
  sticky.compare_exchange_strong(none, code);
}

void note_error_seen() noexcept {
  is_error_seen = true;
}

bool has_program_seen_error() noexcept {
  return is_error_seen;
}

cudaError_t sticky_error() noexcept {
  return sticky;
}

void complain(const std::string& text) {
  static std::mutex mutex;
  static auto* said = new std::set<std::string>;  // lives until the process has ended
  const std::lock_guard lock(mutex);
  if (said->insert(text).second) fmt::print(stderr, "warpscope: {}\n", text);
}

cudaError_t current_failure() noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.code;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    try {
      complain(error.what());
    } catch (...) {  // no memory for the message
    }
    return cudaErrorUnknown;
  }
}

}  // namespace warpscope::cuda
