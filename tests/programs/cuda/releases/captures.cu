// What is not permitted while streams are captured (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations" of stream capture; CUDA
// Runtime API, "Stream Management", cudaThreadExchangeStreamCaptureMode). Each error makes the capture invalid.
#include <cuda_runtime.h>

#include <thread>

#include "../api/check.h"

__global__ void add(int* values, int step) { atomicAdd(values, step); }

static cudaStream_t blocking, other, free_one;  // free_one does not wait for the legacy stream
static cudaEvent_t event, outside;
static int* values;

/// The last error of this thread is what `got` was.
static void refused(const char* what, cudaError_t got, cudaError_t expected) {
  status(what, got, expected);
  status(what, cudaGetLastError(), expected);
}
static void begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed) {
  status("begin", cudaStreamBeginCapture(stream, mode));
}
static void end(const char* what, cudaStream_t stream, cudaError_t expected = cudaErrorStreamCaptureInvalidated) {
  cudaGraph_t graph = nullptr;
  status(what, cudaStreamEndCapture(stream, &graph), expected);
  expect(what, (graph != nullptr) == (expected == cudaSuccess));
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
}
static int value() {
  int host = -1;
  status("value", cudaMemcpy(&host, values, sizeof host, cudaMemcpyDeviceToHost));
  return host;
}

static void captured_events() {
  float milliseconds = 0;
  begin(blocking);
  status("record", cudaEventRecord(event, blocking));
  refused("query", cudaEventQuery(event), cudaErrorCapturedEvent);
  refused("after an error", cudaEventRecord(event, blocking), cudaErrorStreamCaptureInvalidated);
  end("query", blocking);
  begin(blocking);
  status("record", cudaEventRecord(event, blocking));
  refused("synchronize", cudaEventSynchronize(event), cudaErrorCapturedEvent);
  end("synchronize", blocking);
  begin(blocking);
  status("record", cudaEventRecord(event, blocking));
  end("captured", blocking, cudaSuccess);
  status("outside", cudaEventRecord(outside, other));
  refused("query later", cudaEventQuery(event), cudaErrorCapturedEvent);
  refused("time", cudaEventElapsedTime(&milliseconds, outside, event), cudaErrorCapturedEvent);
  refused("wait later", cudaStreamWaitEvent(other, event, 0), cudaErrorCapturedEvent);
  status("record again", cudaEventRecord(event, blocking));
  status("query", cudaEventQuery(event));
  status("time", cudaEventElapsedTime(&milliseconds, outside, event));
}

static void edges_of_captures() {
  cudaEvent_t never;
  status("create", cudaEventCreate(&never));
  begin(blocking);
  status("wait for what was never recorded", cudaStreamWaitEvent(blocking, never, 0));
  refused("isolation", cudaStreamWaitEvent(blocking, outside, 0), cudaErrorStreamCaptureIsolation);
  end("isolation", blocking);
  begin(blocking);
  begin(other);
  status("record", cudaEventRecord(event, blocking));
  refused("merge", cudaStreamWaitEvent(other, event, 0), cudaErrorStreamCaptureMerge);
  end("one", blocking);
  end("two", other);
  refused("record outside", cudaEventRecordWithFlags(event, other, cudaEventRecordExternal), cudaErrorInvalidValue);
  refused("wait outside", cudaStreamWaitEvent(other, event, cudaEventWaitExternal), cudaErrorInvalidValue);
  refused("flags of record", cudaEventRecordWithFlags(event, other, 2), cudaErrorInvalidValue);
  refused("flags of wait", cudaStreamWaitEvent(other, event, 2), cudaErrorInvalidValue);
  refused("interprocess, timed", cudaEventCreateWithFlags(&never, cudaEventInterprocess), cudaErrorInvalidValue);
}

/// What the legacy stream did would depend on a blocking stream.
static void the_legacy_stream() {
  int host = 7;
  cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
  begin(blocking);
  status("state of legacy", cudaStreamIsCapturing(nullptr, &state), cudaErrorStreamCaptureImplicit);
  cudaGetLastError();
  end("only asked", blocking, cudaSuccess);
  begin(blocking);
  add<<<1, 1>>>(values, 1);
  status("launch", cudaGetLastError(), cudaErrorStreamCaptureImplicit);
  status("state", cudaStreamIsCapturing(blocking, &state));
  expect("invalid", state == cudaStreamCaptureStatusInvalidated);
  end("launch", blocking);
  begin(blocking);
  refused("copy", cudaMemcpy(values, &host, sizeof host, cudaMemcpyHostToDevice), cudaErrorStreamCaptureImplicit);
  end("copy", blocking);
  begin(blocking);
  refused("fill", cudaMemset(values, 1, sizeof host), cudaErrorStreamCaptureImplicit);
  end("fill", blocking);
  begin(blocking);
  refused("record", cudaEventRecord(event, nullptr), cudaErrorStreamCaptureImplicit);
  end("record", blocking);
  expect("nothing was done", value() == 0);
  begin(free_one);
  add<<<1, 1>>>(values, 1);
  status("launch next to a free one", cudaGetLastError());
  expect("it was done", value() == 1);
  end("free", free_one, cudaSuccess);
}

static void waits() {
  begin(free_one);
  status("another stream", cudaStreamSynchronize(other));
  refused("device", cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  end("device", free_one);
  begin(free_one);
  refused("stream", cudaStreamQuery(free_one), cudaErrorStreamCaptureUnsupported);
  end("stream", free_one);
}

static cudaError_t allocate() {
  int* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, sizeof *memory);
  if (error == cudaSuccess) cudaFree(memory);
  return error;
}
template <class Work>
static cudaError_t elsewhere(const Work& work) {
  cudaError_t error = cudaSuccess;
  std::thread([&] { error = work(); }).join();
  return error;
}

static void modes() {
  begin(free_one, cudaStreamCaptureModeGlobal);
  refused("global", allocate(), cudaErrorStreamCaptureUnsupported);
  end("global", free_one);
  begin(free_one, cudaStreamCaptureModeGlobal);
  status("global, elsewhere", elsewhere(allocate), cudaErrorStreamCaptureUnsupported);
  end("global, elsewhere", free_one);
  begin(free_one, cudaStreamCaptureModeThreadLocal);
  status("local, elsewhere", elsewhere(allocate), cudaSuccess);
  refused("local", allocate(), cudaErrorStreamCaptureUnsupported);
  end("local", free_one);
  begin(free_one);
  status("relaxed", allocate());
  end("relaxed", free_one, cudaSuccess);
  begin(free_one, cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  status("exchange", cudaThreadExchangeStreamCaptureMode(&mode));
  status("thread relaxed", allocate());
  status("exchange", cudaThreadExchangeStreamCaptureMode(&mode));
  expect("mode of the thread", mode == cudaStreamCaptureModeRelaxed);
  cudaGraph_t graph;
  const auto finish = [&] { return cudaStreamEndCapture(free_one, &graph); };
  status("end elsewhere", elsewhere(finish), cudaErrorStreamCaptureWrongThread);
  end("end", free_one, cudaSuccess);
  begin(free_one);
  status("end relaxed elsewhere", elsewhere(finish));
}

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
/// The null stream is that of the thread: it can be captured, another thread's is another one, and the legacy stream has a name.
static void streams_of_threads() {
  begin(nullptr, cudaStreamCaptureModeThreadLocal);
  add<<<1, 1>>>(values, 1);
  status("elsewhere", elsewhere([] {
           add<<<1, 1>>>(values, 10);
           return cudaStreamSynchronize(nullptr);
         }));
  end("of the thread", nullptr, cudaSuccess);
  expect("only the other thread's was done", value() == 10);
  begin(blocking);
  add<<<1, 1>>>(values, 100);
  status("launch next to a blocking one", cudaGetLastError());
  expect("done", value() == 110);
  refused("legacy", cudaStreamSynchronize(cudaStreamLegacy), cudaErrorStreamCaptureImplicit);
  end("legacy", blocking);
}
#endif

int main() {
  cudaStreamCreate(&blocking);
  cudaStreamCreate(&other);
  cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  cudaEventCreate(&outside);
  cudaMalloc(&values, sizeof *values);
  cudaMemset(values, 0, sizeof *values);
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  streams_of_threads();
#else
  captured_events();
  edges_of_captures();
  the_legacy_stream();
  waits();
  modes();
#endif
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
