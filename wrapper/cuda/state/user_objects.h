#pragma once
// User objects (CUDA Programming Guide, "CUDA User Objects"): a program's resource with a count of references, some of which graphs own.
#include <map>

struct CUuserObject_st;

namespace warpscope::cuda {

/// Thread-safe. All throw Failure(cudaErrorInvalidValue) for an object that is gone and for counts that are 0 or more than INT_MAX.
CUuserObject_st* make_object(void* pointer, void (*destroy)(void*), unsigned references);
void retain_object(CUuserObject_st* object, unsigned count);
/// Calls the program's function, without a lock, when the last reference goes.
void release_object(CUuserObject_st* object, unsigned count);

/// References that a graph, or what is instantiated of it, owns: a copy has as many of its own.
class ObjectReferences {
 public:
  ObjectReferences() = default;
  ObjectReferences(const ObjectReferences& other);
  ObjectReferences& operator=(ObjectReferences other);
  ~ObjectReferences();

  /// `moves`: they were the caller's. Errors of retain_object().
  void add(CUuserObject_st* object, unsigned count, bool moves);
  /// Throws Failure(cudaErrorInvalidValue) if there are not as many.
  void remove(CUuserObject_st* object, unsigned count);

 private:
  std::map<CUuserObject_st*, unsigned> counts_;
};

}  // namespace warpscope::cuda
