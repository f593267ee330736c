#include "wrapper/cuda/graph.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {
namespace {

/// Bytes of each argument of the kernel in C++.
std::vector<std::size_t> argument_bytes(const Kernel& kernel) {
  std::vector<std::size_t> bytes;
  for (const Parameter& parameter : kernel.parameters) {
    if (parameter.is_local || !parameter.variable.empty()) continue;
    if (bytes.size() <= parameter.argument) bytes.resize(parameter.argument + 1);
    const std::size_t end = parameter.offset + (parameter.is_pointer ? sizeof(void*) : parameter.bytes);
    bytes[parameter.argument] = std::max(bytes[parameter.argument], end);
  }
  return bytes;
}

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

/// Handles that a program may pass.
struct Live {
  std::mutex mutex;
  std::set<const void*> handles;
  std::atomic<std::uint64_t> last_id = 0;

  static Live& get() {
    static auto* const live = new Live;  // a destructor of the program's may still call
    return *live;
  }
  void add(const void* handle) {
    const std::lock_guard lock(mutex);
    handles.insert(handle);
  }
  void remove(const void* handle) {
    const std::lock_guard lock(mutex);
    handles.erase(handle);
  }
  bool has(const void* handle) {
    const std::lock_guard lock(mutex);
    return handles.contains(handle);
  }
};

/// Of kernels' attributes (cudaLaunchAttributeID): how many bytes of the value an attribute has; 0: nodes do not have it.
constexpr int kIsCooperative = 2, kClusterSize = 4;
std::size_t attribute_bytes(int attribute) {
  switch (attribute) {
    case 1:  // access policy window
      return sizeof(cudaAccessPolicyWindow);
    case kClusterSize:
      return 3 * sizeof(unsigned);
    case kIsCooperative:
    case 5:   // scheduling of clusters
    case 8:   // priority
    case 10:  // memory synchronisation domain
    case 14:  // carveout of the shared memory
      return sizeof(int);
    case 9:  // map of these domains
      return 2;
    default:
      return 0;
  }
}

}  // namespace

KernelCall::KernelCall(const LaunchRequest& request) : request_(request) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex());
  const std::vector<std::size_t> bytes = argument_bytes(registry.kernel(request.host));
  require(bytes.empty() || request.arguments != nullptr);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    values_.emplace_back(bytes[i]);
    if (bytes[i] == 0) continue;
    require(request.arguments[i] != nullptr);
    std::memcpy(values_.back().data(), request.arguments[i], bytes[i]);
  }
}

LaunchRequest KernelCall::request() const {
  return with_arguments(pointers_);
}

LaunchRequest KernelCall::with_arguments(std::vector<void*>& pointers) const {
  pointers.clear();
  for (const std::vector<char>& value : values_) pointers.push_back(const_cast<char*>(value.data()));
  LaunchRequest result = request_;
  result.arguments = pointers.data();
  return result;
}

void KernelCall::run() const {
  std::vector<void*> pointers;  // not the member: several threads may launch
  launch(with_arguments(pointers));
}

void KernelCall::set_attribute(int attribute, const void* value) {
  const std::size_t bytes = attribute_bytes(attribute);
  require(bytes != 0 && value != nullptr);
  unsigned words[3] = {};
  std::memcpy(words, value, std::min(bytes, sizeof words));
  if (attribute == kIsCooperative) {
    request_.is_cooperative = words[0] != 0;
  } else if (attribute == kClusterSize) {
    request_.cluster = {words[0], words[1], words[2]};
  } else {
    const char* const begin = static_cast<const char*>(value);
    attributes_[attribute].assign(begin, begin + bytes);
  }
}

void KernelCall::get_attribute(int attribute, void* value) const {
  const std::size_t bytes = attribute_bytes(attribute);
  require(bytes != 0 && value != nullptr);
  const Dim3& cluster = request_.cluster;
  const unsigned words[] = {static_cast<unsigned>(cluster.x), static_cast<unsigned>(cluster.y),
                            static_cast<unsigned>(cluster.z)};
  const int is_cooperative = request_.is_cooperative ? 1 : 0;
  std::memset(value, 0, bytes);
  if (attribute == kIsCooperative)
    std::memcpy(value, &is_cooperative, bytes);
  else if (attribute == kClusterSize)
    std::memcpy(value, words, bytes);
  else if (const auto found = attributes_.find(attribute); found != attributes_.end())
    std::memcpy(value, found->second.data(), bytes);
}

void KernelCall::copy_attributes(const KernelCall& from) {
  request_.is_cooperative = from.request_.is_cooperative;
  request_.cluster = from.request_.cluster;
  attributes_ = from.attributes_;
}

bool is_live(const CUgraph_st* graph) {
  return Live::get().has(graph);
}
bool is_live(const CUgraphNode_st* node) {
  return Live::get().has(node);
}

/// A graph that grows.
struct Captures::Capture {
  std::uint64_t id = 0;
  cudaStream_t origin = nullptr;
  std::unique_ptr<CUgraph_st> own;  ///< null: it grows a graph of the program's
  CUgraph_st* graph = nullptr;
  bool is_invalid = false;
  std::set<const CUgraphNode_st*> captured;  ///< others are the program's own
  std::vector<CUgraphNode_st*> released;     ///< need not be joined
};

/// Where in a capture a stream or an event is: behind these nodes.
struct Captures::Place {
  std::shared_ptr<Capture> capture;
  std::vector<CUgraphNode_st*> last;
};

struct Captures::State {
  std::mutex mutex;
  std::map<cudaStream_t, Place> streams;
  std::map<cudaEvent_t, Place> events;
  std::atomic<std::size_t> captured = 0;  ///< streams: most programs never have one
  std::uint64_t last_id = 0;

  Place& place_of(cudaStream_t stream, cudaError_t otherwise) {
    const auto found = streams.find(stream);
    require(found != streams.end(), otherwise);
    return found->second;
  }
};

Captures::Captures() : state_(*new State) {}

Captures& Captures::get() {
  static Captures captures;
  return captures;
}

void Captures::begin(cudaStream_t stream, CUgraph_st* to, std::vector<CUgraphNode_st*> after) {
  // The legacy stream waits for all others, so CUDA does not capture it.
  require(stream != nullptr && stream != cudaStreamLegacy, cudaErrorStreamCaptureUnsupported);
  const std::lock_guard lock(state_.mutex);
  require(!state_.streams.contains(stream), cudaErrorIllegalState);
  auto capture = std::make_shared<Capture>();
  capture->id = ++state_.last_id;
  capture->origin = stream;
  if (to == nullptr) capture->own = std::make_unique<CUgraph_st>();
  capture->graph = to != nullptr ? to : capture->own.get();
  state_.streams[stream] = {std::move(capture), std::move(after)};
  state_.captured = state_.streams.size();
}

std::unique_ptr<CUgraph_st> Captures::end(cudaStream_t stream, CUgraph_st*& to) {
  const std::lock_guard lock(state_.mutex);
  const Place place = state_.place_of(stream, cudaErrorIllegalState);
  Capture& capture = *place.capture;
  require(capture.origin == stream, cudaErrorStreamCaptureUnmatched);
  const auto belongs = [&](const auto& entry) { return entry.second.capture.get() == &capture; };
  std::erase_if(state_.streams, belongs);
  std::erase_if(state_.events, belongs);
  state_.captured = state_.streams.size();
  require(!capture.is_invalid, cudaErrorStreamCaptureInvalidated);
  std::vector<CUgraphNode_st*> ends = place.last;
  add_missing(ends, capture.released);
  require(all_lead_to(capture.captured, ends), cudaErrorStreamCaptureUnjoined);
  to = capture.graph;
  return std::move(capture.own);
}

std::uint64_t Captures::id_of(cudaStream_t stream) {
  if (state_.captured == 0) return 0;
  const std::lock_guard lock(state_.mutex);
  const auto found = state_.streams.find(stream);
  return found != state_.streams.end() ? found->second.capture->id : 0;
}

bool Captures::is_invalid(cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  const auto found = state_.streams.find(stream);
  return found != state_.streams.end() && found->second.capture->is_invalid;
}

CUgraph_st* Captures::graph_of(cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  const auto found = state_.streams.find(stream);
  return found != state_.streams.end() ? found->second.capture->graph : nullptr;
}

const std::vector<CUgraphNode_st*>* Captures::last_of(cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  const auto found = state_.streams.find(stream);
  return found != state_.streams.end() ? &found->second.last : nullptr;
}

void Captures::set_last(cudaStream_t stream, const std::vector<CUgraphNode_st*>& nodes, bool replaces) {
  const std::lock_guard lock(state_.mutex);
  Place& place = state_.place_of(stream, cudaErrorIllegalState);
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
  const std::lock_guard lock(state_.mutex);
  const auto found = state_.streams.find(stream);
  if (found == state_.streams.end()) return false;
  Place& place = found->second;
  require(!place.capture->is_invalid, cudaErrorStreamCaptureInvalidated);
  node.after = place.last;
  place.last = {place.capture->graph->add(std::move(node))};
  place.capture->captured.insert(place.last.front());
  return true;
}

void Captures::record(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(state_.mutex);
  state_.events.erase(event);
  if (const auto found = state_.streams.find(stream); found != state_.streams.end())
    state_.events[event] = found->second;
}

void Captures::wait(cudaStream_t stream, cudaEvent_t event) {
  const std::lock_guard lock(state_.mutex);
  const auto known = state_.events.find(event);
  if (known == state_.events.end()) return;
  const auto [place, is_new] = state_.streams.try_emplace(stream, known->second);
  state_.captured = state_.streams.size();
  if (is_new) return;
  require(place->second.capture == known->second.capture, cudaErrorStreamCaptureMerge);
  add_missing(place->second.last, known->second.last);
}

void Captures::refuse_wait(cudaStream_t stream) {
  if (state_.captured == 0) return;
  const std::lock_guard lock(state_.mutex);
  const auto found = state_.streams.find(stream);
  if (found == state_.streams.end()) return;
  found->second.capture->is_invalid = true;
  throw Failure{cudaErrorStreamCaptureUnsupported};
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

using warpscope::cuda::Live;

CUgraph_st::CUgraph_st() {
  Live::get().add(this);
}

CUgraph_st::~CUgraph_st() {
  Live::get().remove(this);
  for (const auto& node : nodes) Live::get().remove(node.get());
}

CUgraphNode_st* CUgraph_st::add(CUgraphNode_st node) {
  node.edges.resize(node.after.size());
  node.graph = this;
  node.id = ++Live::get().last_id;
  CUgraphNode_st* const made = nodes.emplace_back(std::make_unique<CUgraphNode_st>(std::move(node))).get();
  Live::get().add(made);
  return made;
}

void CUgraph_st::remove(CUgraphNode_st* node) {
  Live::get().remove(node);
  for (const auto& other : nodes)
    for (std::size_t i = other->after.size(); i-- > 0;)
      if (other->after[i] == node) {
        other->after.erase(other->after.begin() + static_cast<std::ptrdiff_t>(i));
        other->edges.erase(other->edges.begin() + static_cast<std::ptrdiff_t>(i));
      }
  std::erase_if(nodes, [&](const auto& own) { return own.get() == node; });
}

bool CUgraph_st::has(const CUgraphNode_st* node) const {
  return node != nullptr && warpscope::cuda::is_live(node) && node->graph == this;
}

std::vector<CUgraphNode_st*> CUgraph_st::in_order() const {
  std::vector<CUgraphNode_st*> result;
  std::set<const CUgraphNode_st*> done;
  while (result.size() < nodes.size()) {
    const std::size_t before = result.size();
    for (const auto& node : nodes) {
      const bool is_ready = !done.contains(node.get()) &&
                            std::all_of(node->after.begin(), node->after.end(),
                                        [&](const CUgraphNode_st* first) { return done.contains(first); });
      if (!is_ready) continue;
      done.insert(node.get());
      result.push_back(node.get());
    }
    warpscope::cuda::require(result.size() > before);
  }
  return result;
}

std::unique_ptr<CUgraph_st> CUgraph_st::copy() const {
  auto result = std::make_unique<CUgraph_st>();
  result->objects = objects;
  std::map<const CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const auto& node : nodes) {
    CUgraphNode_st* const made = copies[node.get()] = result->add(*node);
    made->copied_from = node->id;
    if (auto* const child = std::get_if<warpscope::cuda::ChildGraph>(&made->parameters))
      child->graph = child->graph->copy();
  }
  for (const auto& node : result->nodes)
    for (CUgraphNode_st*& first : node->after) first = copies.at(first);
  return result;
}
