// Streams that are captured, and what a program may not do meanwhile (CUDA C++ Programming Guide, "Prohibited and Unhandled Operations" of
// "Creating a Graph Using Stream Capture"; CUDA Runtime API, cudaThreadExchangeStreamCaptureMode).
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "wrapper/cuda/graph.h"
#include "wrapper/cuda/graphs/default_stream.h"
#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;

void add_missing(std::vector<CUgraphNode_st*>& to, const std::vector<CUgraphNode_st*>& from) {
  for (CUgraphNode_st* node : from)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

/// Whether all of `nodes` come before some of `ends`, or are among them.
bool all_lead_to(const std::set<const CUgraphNode_st*>& nodes, const std::vector<CUgraphNode_st*>& ends) {
  std::set<const CUgraphNode_st*> seen;
  std::vector<CUgraphNode_st*> work = ends;
  while (!work.empty()) {
    CUgraphNode_st* const node = work.back();
    work.pop_back();
    if (seen.insert(node).second) work.insert(work.end(), node->after.begin(), node->after.end());
  }
  return std::includes(seen.begin(), seen.end(), nodes.begin(), nodes.end());
}

}  // namespace

/// A graph that grows.
struct Captures::Capture {
  std::uint64_t id = 0;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread = std::this_thread::get_id();  ///< that began it
  std::unique_ptr<CUgraph_st> own;                      ///< null: it grows a graph of the program's
  CUgraph_st* graph = nullptr;
  bool is_blocking = false;  ///< the legacy stream would wait for a stream of it
  bool is_invalid = false;
  bool has_ended = false;
  std::set<const CUgraphNode_st*> captured;  ///< others are the program's own
  std::vector<CUgraphNode_st*> released;     ///< need not be joined

  /// Throws Failure(`error`): an operation that is not permitted makes the capture invalid.
  [[noreturn]] void fail(cudaError_t error) {
    is_invalid = true;
    throw Failure{error};
  }
};

/// Where in a capture a stream or an event is: behind these nodes.
struct Captures::Place {
  std::shared_ptr<Capture> capture;
  std::vector<CUgraphNode_st*> last;
};

struct Captures::State {
  std::mutex mutex;
  std::map<cudaStream_t, Place> streams;
  std::map<cudaEvent_t, Place> events;    ///< last recorded in a capture, which may have ended
  std::atomic<std::size_t> captured = 0;  ///< streams: most programs never have one
  std::uint64_t last_id = 0;

  Place* find(cudaStream_t stream) {
    const auto found = streams.find(stream);
    return found != streams.end() ? &found->second : nullptr;
  }
  Place& place_of(cudaStream_t stream, cudaError_t otherwise) {
    Place* const found = find(stream);
    require(found != nullptr, otherwise);
    return *found;
  }
  /// Makes all captures invalid for which `is_meant`, and throws Failure(`error`) if there is one.
  template <class IsMeant>
  void refuse(cudaError_t error, const IsMeant& is_meant) {
    bool is_refused = false;
    for (const auto& [stream, place] : streams) {
      if (!is_meant(*place.capture)) continue;
      is_refused = place.capture->is_invalid = true;
    }
    require(!is_refused, error);
  }
  /// All work of the legacy stream would wait for that of blocking streams.
  void refuse_legacy(cudaStream_t stream) {
    if (is_legacy(stream))
      refuse(cudaErrorStreamCaptureImplicit, [](const Capture& capture) { return capture.is_blocking; });
  }
};

Captures::Captures() : state_(*new State) {}

Captures& Captures::get() {
  static Captures captures;
  return captures;
}

void Captures::begin(cudaStream_t stream, cudaStreamCaptureMode mode, bool is_blocking, CUgraph_st* to,
                     std::vector<CUgraphNode_st*> after) {
  stream = stream_of_thread(stream);
  // The legacy stream waits for all others, so CUDA does not capture it.
  require(!is_legacy(stream), cudaErrorStreamCaptureUnsupported);
  const std::lock_guard lock(state_.mutex);
  require(state_.find(stream) == nullptr, cudaErrorIllegalState);
  auto capture = std::make_shared<Capture>();
  capture->id = ++state_.last_id;
  capture->origin = stream;
  capture->mode = mode;
  capture->is_blocking = is_blocking;
  if (to == nullptr) capture->own = std::make_unique<CUgraph_st>();
  capture->graph = to != nullptr ? to : capture->own.get();
  state_.streams[stream] = {std::move(capture), std::move(after)};
  state_.captured = state_.streams.size();
}

std::unique_ptr<CUgraph_st> Captures::end(cudaStream_t stream, CUgraph_st*& to) {
  stream = stream_of_thread(stream);
  const std::lock_guard lock(state_.mutex);
  const Place place = state_.place_of(stream, cudaErrorIllegalState);
  Capture& capture = *place.capture;
  require(capture.origin == stream, cudaErrorStreamCaptureUnmatched);
  require(capture.mode == cudaStreamCaptureModeRelaxed || capture.thread == std::this_thread::get_id(),
          cudaErrorStreamCaptureWrongThread);
  const auto belongs = [&](const auto& entry) { return entry.second.capture.get() == &capture; };
  std::erase_if(state_.streams, belongs);
  state_.captured = state_.streams.size();
  capture.has_ended = true;
  require(!capture.is_invalid, cudaErrorStreamCaptureInvalidated);
  std::vector<CUgraphNode_st*> ends = place.last;
  add_missing(ends, capture.released);
  require(all_lead_to(capture.captured, ends), cudaErrorStreamCaptureUnjoined);
  to = capture.graph;
  return std::move(capture.own);
}

std::uint64_t Captures::id_of(cudaStream_t stream) {
  if (state_.captured == 0) return 0;
  stream = stream_of_thread(stream);
  const std::lock_guard lock(state_.mutex);
  const Place* const found = state_.find(stream);
  return found != nullptr ? found->capture->id : 0;
}

bool Captures::takes(cudaStream_t stream) {
  if (state_.captured == 0) return false;
  stream = stream_of_thread(stream);
  const std::lock_guard lock(state_.mutex);
  state_.refuse_legacy(stream);
  return state_.find(stream) != nullptr;
}

bool Captures::is_legacy_unusable(cudaStream_t stream) {
  if (state_.captured == 0 || !is_legacy(stream_of_thread(stream))) return false;
  const std::lock_guard lock(state_.mutex);
  return std::ranges::any_of(state_.streams,
                             [](const auto& entry) { return entry.second.capture->is_blocking; });
}

bool Captures::is_invalid(cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  const Place* const found = state_.find(stream_of_thread(stream));
  return found != nullptr && found->capture->is_invalid;
}

CUgraph_st* Captures::graph_of(cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  const Place* const found = state_.find(stream_of_thread(stream));
  return found != nullptr ? found->capture->graph : nullptr;
}

const std::vector<CUgraphNode_st*>* Captures::last_of(cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  const Place* const found = state_.find(stream_of_thread(stream));
  return found != nullptr ? &found->last : nullptr;
}

void Captures::set_last(cudaStream_t stream, const std::vector<CUgraphNode_st*>& nodes, bool replaces) {
  const std::lock_guard lock(state_.mutex);
  Place& place = state_.place_of(stream_of_thread(stream), cudaErrorIllegalState);
  require(!place.capture->is_invalid, cudaErrorStreamCaptureInvalidated);
  for (const CUgraphNode_st* node : nodes) require(place.capture->graph->has(node));
  if (replaces) {
    add_missing(place.capture->released, place.last);
    place.last.clear();
  }
  add_missing(place.last, nodes);
}

bool Captures::add(cudaStream_t stream, CUgraphNode_st node) {
  if (state_.captured == 0) return false;
  stream = stream_of_thread(stream);
  const std::lock_guard lock(state_.mutex);
  state_.refuse_legacy(stream);
  Place* const place = state_.find(stream);
  if (place == nullptr) return false;
  require(!place->capture->is_invalid, cudaErrorStreamCaptureInvalidated);
  node.after = place->last;
  place->last = {place->capture->graph->add(std::move(node))};
  place->capture->captured.insert(place->last.front());
  return true;
}

void Captures::record(cudaEvent_t event, cudaStream_t stream) {
  stream = stream_of_thread(stream);
  const std::lock_guard lock(state_.mutex);
  state_.refuse_legacy(stream);
  const Place* const found = state_.find(stream);
  require(found == nullptr || !found->capture->is_invalid, cudaErrorStreamCaptureInvalidated);
  if (found != nullptr)
    state_.events[event] = *found;
  else
    state_.events.erase(event);
}

void Captures::wait(cudaStream_t stream, cudaEvent_t event, bool is_recorded, bool is_blocking) {
  stream = stream_of_thread(stream);
  const std::lock_guard lock(state_.mutex);
  state_.refuse_legacy(stream);
  Place* const place = state_.find(stream);
  require(place == nullptr || !place->capture->is_invalid, cudaErrorStreamCaptureInvalidated);
  const auto known = state_.events.find(event);
  if (known == state_.events.end()) {
    if (place != nullptr && is_recorded) place->capture->fail(cudaErrorStreamCaptureIsolation);
    return;
  }
  Capture& capture = *known->second.capture;
  if (place == nullptr) {
    require(!capture.has_ended, cudaErrorCapturedEvent);
    if (is_legacy(stream)) capture.fail(cudaErrorStreamCaptureUnsupported);
    capture.is_blocking = capture.is_blocking || is_blocking;
    state_.streams[stream] = known->second;
    state_.captured = state_.streams.size();
    return;
  }
  if (place->capture != known->second.capture) {
    capture.is_invalid = true;
    place->capture->fail(capture.has_ended ? cudaErrorStreamCaptureIsolation : cudaErrorStreamCaptureMerge);
  }
  add_missing(place->last, known->second.last);
}

void Captures::refuse_wait(cudaStream_t stream) {
  if (state_.captured == 0) return;
  stream = stream_of_thread(stream);
  const std::lock_guard lock(state_.mutex);
  state_.refuse_legacy(stream);
  if (const Place* const found = state_.find(stream); found != nullptr)
    found->capture->fail(cudaErrorStreamCaptureUnsupported);
}

void Captures::refuse_wait(cudaEvent_t event) {
  const std::lock_guard lock(state_.mutex);
  if (const auto found = state_.events.find(event); found != state_.events.end())
    found->second.capture->fail(cudaErrorCapturedEvent);
}

void Captures::refuse_wait_for_all() {
  if (state_.captured == 0) return;
  const std::lock_guard lock(state_.mutex);
  state_.refuse(cudaErrorStreamCaptureUnsupported, [](const Capture& /*all*/) { return true; });
}

void Captures::refuse_unsafe() {
  if (state_.captured == 0 || mode_of_thread == cudaStreamCaptureModeRelaxed) return;
  const std::lock_guard lock(state_.mutex);
  state_.refuse(cudaErrorStreamCaptureUnsupported, [](const Capture& capture) {
    if (capture.thread == std::this_thread::get_id()) return capture.mode != cudaStreamCaptureModeRelaxed;
    return mode_of_thread == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
  });
}

cudaStreamCaptureMode Captures::exchange_mode(cudaStreamCaptureMode mode) {
  return std::exchange(mode_of_thread, mode);
}

void Captures::forget(cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  state_.streams.erase(stream);
  state_.captured = state_.streams.size();
}

void Captures::forget(cudaEvent_t event) {
  const std::lock_guard lock(state_.mutex);
  state_.events.erase(event);
}

}  // namespace warpscope::cuda
