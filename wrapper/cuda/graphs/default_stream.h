#pragma once
// What a stream's handle stands for (CUDA Runtime API, "Stream synchronization behavior").
#include "wrapper/cuda/api.h"

namespace warpscope::cuda {

/// Whether a handle of `stream_of_thread` is that of the stream that waits for all blocking ones, which wait for it.
inline bool is_legacy(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

/// The handle, but for this thread's default stream one that no other thread has. A null one is the legacy stream, in programs compiled with
/// -default-stream per-thread that of the thread.
cudaStream_t stream_of_thread(cudaStream_t stream);

}  // namespace warpscope::cuda
