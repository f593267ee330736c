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
