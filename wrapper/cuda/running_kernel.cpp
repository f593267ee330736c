#include "wrapper/cuda/running_kernel.h"

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "wrapper/cuda/device.h"
#include "wrapper/cuda/launch.h"
#include "wrapper/cuda/state/status.h"
#include "wrapper/device/kernel_stop.h"

namespace warpscope::cuda {
namespace {

/// Never destroyed: PoCL's threads run until the process has ended.
struct Ends {
  std::mutex mutex;
  std::condition_variable changed;
  std::uintptr_t begun = 0, ended = 0;  ///< kernels, counted
  bool is_stopped = false;
};

Ends& ends() {
  static auto* ends = new Ends;
  return *ends;
}

thread_local bool waits_here = false;

void CL_CALLBACK on_end(cl_event /*event*/, cl_int /*status*/, void* number) {
  const std::lock_guard lock(ends().mutex);
  ends().ended = reinterpret_cast<std::uintptr_t>(number);
  ends().changed.notify_all();
}

cudaError_t error_of(device::StopReason reason) {
  switch (reason) {
    case device::StopReason::Assertion:
      return cudaErrorAssert;
    case device::StopReason::IllegalAddress:
      return cudaErrorIllegalAddress;
    case device::StopReason::MisalignedAddress:
      return cudaErrorMisalignedAddress;
    case device::StopReason::NoHeap:
    case device::StopReason::Trap:
      return cudaErrorLaunchFailure;
    case device::StopReason::StackOverflow:
      return cudaErrorHardwareStackError;
  }
  return cudaErrorLaunchFailure;
}

void on_stop(device::StopReason reason, const std::string& text) {
  set_sticky(error_of(reason));
  if (reason != device::StopReason::Assertion && reason != device::StopReason::NoHeap) note_refusal();
  if (reason == device::StopReason::Assertion) Device::get().note_failure(text);
  // The line that has been said names the place.
  Device::get().note_stop(reason == device::StopReason::Trap ? "a thread trapped" : text);
  if (waits_here) {  // PoCL's device without threads: the program's own thread cannot leave the kernel
    complain("the program ends here: PoCL runs kernels in its only thread, expected a device with threads");
    std::abort();
  }
  const std::lock_guard lock(ends().mutex);
  ends().is_stopped = true;
  ends().changed.notify_all();
}

void on_failure(const std::string& text) {
  set_sticky(cudaErrorAssert);
  Device::get().note_failure(text);
}

}  // namespace

void expect_stops() {
  device::set_stop_handler(&on_stop);
  device::set_failure_handler(&on_failure);
  device::stop_at_traps();
}

void wait_for_kernel(cl_command_queue queue, cl_event event) {
  std::unique_lock lock(ends().mutex);
  const std::uintptr_t number = ++ends().begun;
  lock.unlock();
  waits_here = true;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number, not an address
  cl_int status = clSetEventCallback(event, CL_COMPLETE, &on_end, reinterpret_cast<void*>(number));
  if (status == CL_SUCCESS) status = clFlush(queue);
  lock.lock();
  if (status == CL_SUCCESS)
    ends().changed.wait(lock, [&] { return ends().ended == number || ends().is_stopped; });
  waits_here = false;
  if (ends().is_stopped) throw Failure{sticky_error()};
  lock.unlock();
  clFinish(queue);
  if (is_sticky()) throw Failure{sticky_error()};
}

}  // namespace warpscope::cuda
