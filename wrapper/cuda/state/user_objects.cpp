#include "wrapper/cuda/state/user_objects.h"

#include <climits>
#include <memory>
#include <mutex>
#include <utility>

#include "wrapper/cuda/state/status.h"

struct CUuserObject_st {
  void* pointer;
  void (*destroy)(void*);
  unsigned long long references;
};

namespace warpscope::cuda {
namespace {

struct Objects {
  std::mutex mutex;
  std::map<CUuserObject_st*, std::unique_ptr<CUuserObject_st>> live;

  static Objects& get() {
    static auto* const objects = new Objects;  // a destructor of the program's may still call
    return *objects;
  }
};

void check_count(unsigned count) {
  require(count != 0 && count <= INT_MAX);
}

/// False: the object is gone, or has fewer references.
bool drop(CUuserObject_st* object, unsigned count) {
  std::unique_ptr<CUuserObject_st> gone;
  {
    const std::lock_guard lock(Objects::get().mutex);
    const auto found = Objects::get().live.find(object);
    if (found == Objects::get().live.end() || object->references < count) return false;
    object->references -= count;
    if (object->references != 0) return true;
    gone = std::move(found->second);
    Objects::get().live.erase(found);
  }
  gone->destroy(gone->pointer);
  return true;
}

}  // namespace

CUuserObject_st* make_object(void* pointer, void (*destroy)(void*), unsigned references) {
  check_count(references);
  auto made = std::make_unique<CUuserObject_st>(CUuserObject_st{pointer, destroy, references});
  CUuserObject_st* const handle = made.get();
  const std::lock_guard lock(Objects::get().mutex);
  Objects::get().live[handle] = std::move(made);
  return handle;
}

void retain_object(CUuserObject_st* object, unsigned count) {
  check_count(count);
  const std::lock_guard lock(Objects::get().mutex);
  require(Objects::get().live.contains(object));
  object->references += count;
}

void release_object(CUuserObject_st* object, unsigned count) {
  check_count(count);
  require(drop(object, count));
}

ObjectReferences::ObjectReferences(const ObjectReferences& other) : counts_(other.counts_) {
  for (const auto& [object, count] : counts_) retain_object(object, count);
}
ObjectReferences& ObjectReferences::operator=(ObjectReferences other) {
  std::swap(counts_, other.counts_);
  return *this;
}
ObjectReferences::~ObjectReferences() {
  for (const auto& [object, count] : counts_) drop(object, count);
}

void ObjectReferences::add(CUuserObject_st* object, unsigned count, bool moves) {
  // References of the caller's that move are checked as those that are made, and given back.
  retain_object(object, count);
  if (moves) release_object(object, count);
  counts_[object] += count;
}

void ObjectReferences::remove(CUuserObject_st* object, unsigned count) {
  check_count(count);
  const auto found = counts_.find(object);
  require(found != counts_.end() && found->second >= count);
  found->second -= count;
  if (found->second == 0) counts_.erase(found);
  release_object(object, count);
}

}  // namespace warpscope::cuda
