// Streams and events (CUDA Runtime API, "Stream Management", "Event Management"). Everything is done when its
// call returns, which is one of the orders that CUDA allows: a stream is only a name.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "wrapper/cuda/api/devices.h"
#include "wrapper/cuda/api/driver.h"
#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/handles.h"
#include "wrapper/cuda/library_calls.h"
#include "wrapper/cuda/state/status.h"

using Clock = std::chrono::steady_clock;

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  // Without effect; the program may ask for them again.
  cudaAccessPolicyWindow window = {};
  cudaSynchronizationPolicy waiting = cudaSyncPolicyAuto;
};
struct CUevent_st {
  unsigned flags = 0;
  bool is_recorded = false;
  Clock::time_point at;
};

namespace warpscope::cuda {
namespace {

Handles<CUstream_st>& streams() {
  return Handles<CUstream_st>::get();
}
Handles<CUevent_st>& events() {
  return Handles<CUevent_st>::get();
}

constexpr unsigned kExternal = 1;  ///< cudaEventRecordExternal, cudaEventWaitExternal

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

void check_stream(cudaStream_t stream) {
  if (!is_default(stream)) streams().check(stream);
}

bool is_blocking(cudaStream_t stream) {
  return is_default(stream) || (stream->flags & cudaStreamNonBlocking) == 0;
}

/// Only a captured stream has events of outside.
void require_external(cudaStream_t stream, unsigned flags) {
  require(flags == 0 || (flags == kExternal && Captures::get().takes(stream)));
}

/// The default streams are one.
CUstream_st& settings_of(cudaStream_t stream) {
  static CUstream_st of_default;
  return is_default(stream) ? of_default : streams().check(stream);
}

}  // namespace
}  // namespace warpscope::cuda

using namespace warpscope::cuda;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  use_primary_context();
  return run([&] {
    require(stream != nullptr && (flags == cudaStreamDefault || flags == cudaStreamNonBlocking));
    const int in_range = std::clamp(priority, kGreatestPriority, 0);
    *stream = streams().add(std::make_unique<CUstream_st>(CUstream_st{flags, in_range, {}}));
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return run([&] {
    require(priority != nullptr);
    check_stream(stream);
    *priority = is_default(stream) ? 0 : stream->priority;
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return run([&] {
    require(flags != nullptr);
    check_stream(stream);
    *flags = is_default(stream) ? 0 : stream->flags;
  });
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return run([&] {
    require(value != nullptr);
    if (attribute == cudaStreamAttributeAccessPolicyWindow)
      settings_of(stream).window = value->accessPolicyWindow;
    else if (attribute == cudaStreamAttributeSynchronizationPolicy)
      settings_of(stream).waiting = value->syncPolicy;
    else
      require(false);
  });
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return run([&] {
    require(value != nullptr);
    if (attribute == cudaStreamAttributeAccessPolicyWindow)
      value->accessPolicyWindow = settings_of(stream).window;
    else if (attribute == cudaStreamAttributeSynchronizationPolicy)
      value->syncPolicy = settings_of(stream).waiting;
    else
      require(false);
  });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return run([&] {
    const CUstream_st& given = settings_of(from);
    CUstream_st& changed = settings_of(to);
    changed.window = given.window;
    changed.waiting = given.waiting;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return run([&] {
    Captures::get().forget(stream);
    streams().remove(stream);
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return run([&] {
    check_stream(stream);
    Captures::get().refuse_wait(stream);
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}
/// An event of outside (cudaEventWaitExternal, cudaEventRecordExternal) is a node of the graph that is captured.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return run([&] {
    check_stream(stream);
    events().check(event);
    require_external(stream, flags);
    if (flags == kExternal)
      submit(
          stream, cudaGraphNodeTypeWaitEvent, [] {}, AwaitedEvent{event});
    else
      Captures::get().wait(stream, event, event->is_recorded, is_blocking(stream));
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return run([&] {
    require(callback != nullptr && flags == 0);
    check_stream(stream);
    // It is told of an error that stays, not of what an earlier call returned.
    submit(stream, cudaGraphNodeTypeHost,
           [=] { callback(stream, is_sticky() ? last_error(false) : cudaSuccess, data); });
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return run([&] {
    require(function != nullptr);
    check_stream(stream);
    submit(
        stream, cudaGraphNodeTypeHost, [=] { function(data); }, cudaHostNodeParams{function, data});
  });
}
cudaError_t warpscopeSubmit(cudaStream_t stream, const char* library, const std::function<void()>& work) {
  warpscopeNoteUntraced(library);
  return run([&] {
    check_stream(stream);
    submit(stream, cudaGraphNodeTypeHost, work);
  });
}
void warpscopeComplain(const char* text) {
  complain(text);
}
cudaError_t warpscopeNotSupported(const char* function) {
  return run([&] {
    complain(fmt::format("{}: not supported", function));
    throw Failure{cudaErrorNotSupported};
  });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* /*pointer*/, std::size_t /*bytes*/,
                                     unsigned flags) {
  return run([&] {
    check_stream(stream);
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle);
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  use_primary_context();
  return run([&] {
    require(event != nullptr &&
            (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)) == 0);
    require((flags & cudaEventInterprocess) == 0 || (flags & cudaEventDisableTiming) != 0);
    *event = events().add(std::make_unique<CUevent_st>(CUevent_st{flags, false, {}}));
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return run([&] {
    Captures::get().forget(event);
    events().remove(event);
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return run([&] {
    check_stream(stream);
    events().check(event);
    Captures::get().record(event, stream);
    event->is_recorded = true;
    event->at = Clock::now();
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags == 0) return cudaEventRecord(event, stream);
  return run([&] {
    check_stream(stream);
    events().check(event);
    require_external(stream, flags);
    submit(
        stream, cudaGraphNodeTypeEventRecord, [] {}, RecordedEvent{event});
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return run([&] {
    events().check(event);
    Captures::get().refuse_wait(event);
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return run([&] {
    require(milliseconds != nullptr);
    for (const cudaEvent_t event : {start, end}) {
      events().check(event);
      Captures::get().refuse_wait(event);
    }
    const bool has_times =
        start->is_recorded && end->is_recorded && ((start->flags | end->flags) & cudaEventDisableTiming) == 0;
    require(has_times, cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  });
}
}
