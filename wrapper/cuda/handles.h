#pragma once
// Handles that the program has and may pass.
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "wrapper/cuda/state/status.h"

namespace warpscope::cuda {

/// Thread-safe. Never destroyed: a destructor of the program's may still call.
template <class Object>
class Handles {
 public:
  static Handles& get() {
    static auto* handles = new Handles;
    return *handles;
  }
  Object* add(std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    Object* const handle = object.get();
    live_[handle] = std::move(object);
    return handle;
  }
  /// Throws Failure(`error`) for a handle that is not live.
  void remove(Object* handle, cudaError_t error = cudaErrorInvalidResourceHandle) { take(handle, error); }
  /// The same; what its destructor calls may use handles again.
  std::unique_ptr<Object> take(Object* handle, cudaError_t error = cudaErrorInvalidResourceHandle) {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(handle);
    require(found != live_.end(), error);
    auto object = std::move(found->second);
    live_.erase(found);
    return object;
  }
  Object& check(Object* handle, cudaError_t error = cudaErrorInvalidResourceHandle) {
    const std::lock_guard lock(mutex_);
    require(live_.contains(handle), error);
    return *handle;
  }

 private:
  std::mutex mutex_;
  std::map<Object*, std::unique_ptr<Object>> live_;
};

}  // namespace warpscope::cuda
