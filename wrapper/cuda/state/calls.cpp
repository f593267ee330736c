#include "wrapper/cuda/state/calls.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

using std::chrono::milliseconds;

/// A kernel that never ends must not keep the process.
constexpr int kLongestWait = 1000;  // milliseconds

std::atomic<unsigned> calls_running = 0;
std::atomic<bool> is_ending = false;
thread_local unsigned calls_of_thread = 0;  // of `calls_running`
thread_local bool ends_process = false;

void at_exit() {
  ends_process = true;
  is_ending = true;
  for (int waited = 0; calls_running > calls_of_thread && waited < kLongestWait; ++waited)
    std::this_thread::sleep_for(milliseconds(1));
}

/// PoCL's threads are not there, and CUDA does not work in a child of a process that uses it either.
void in_child() {
  set_sticky(cudaErrorInitializationError);
}

}  // namespace

Call::Call() noexcept : refused_(sticky_error()) {
  ++calls_running;
  ++calls_of_thread;
  if (refused_ == cudaSuccess && is_ending && !ends_process) refused_ = cudaErrorCudartUnloading;
}

Call::~Call() {
  --calls_of_thread;
  --calls_running;
  // A thread that does not look at errors would call again at once.
  if (refused_ == cudaErrorCudartUnloading) std::this_thread::sleep_for(milliseconds(10));
}

void watch_process() {
  std::atexit(&at_exit);
  pthread_atfork(nullptr, nullptr, &in_child);
}

}  // namespace warpscope::cuda
