// Memory and events of several processes (CUDA Runtime API, "Device Management"): what a process allocates is in its own address space.
#include "wrapper/cuda/api.h"
#include "wrapper/cuda/state/status.h"

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* /*handle*/, void* /*pointer*/) {
  return note(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenMemHandle(void** /*pointer*/, cudaIpcMemHandle_t /*handle*/, unsigned /*flags*/) {
  return note(cudaErrorNotSupported);
}
cudaError_t cudaIpcCloseMemHandle(void* /*pointer*/) {
  return note(cudaErrorNotSupported);
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* /*handle*/, cudaEvent_t /*event*/) {
  return note(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* /*event*/, cudaIpcEventHandle_t /*handle*/) {
  return note(cudaErrorNotSupported);
}
}
