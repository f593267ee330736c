#pragma once
// Hands out reusable objects (compression contexts, buffers) to threads; thread-local storage would outlive
// its owner.
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace warpscope {

template <class Object>
class ObjectPool {
 public:
  /// Returns its object to the pool when it goes.
  class Lease {
   public:
    Lease(ObjectPool& pool, std::unique_ptr<Object> object) : pool_(pool), object_(std::move(object)) {}
    ~Lease() {
      const std::lock_guard lock(pool_.mutex_);
      pool_.free_.push_back(std::move(object_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Object& operator*() { return *object_; }
    Object* operator->() { return object_.get(); }

   private:
    ObjectPool& pool_;
    std::unique_ptr<Object> object_;
  };

  /// A free object, or a new one made from `arguments`.
  template <class... Arguments>
  Lease acquire(const Arguments&... arguments) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Object> object = std::move(free_.back());
        free_.pop_back();
        return Lease(*this, std::move(object));
      }
    }
    return Lease(*this, std::make_unique<Object>(arguments...));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> free_;
};

}  // namespace warpscope
