#pragma once
// Buffers of the application in memory of ours, with guards around: what a kernel does outside of one stays away from the
// application's own memory, and its trace is the same in every run.
#include <map>
#include <mutex>
#include <optional>

#include "wrapper/device/guarded_memory.h"
#include "wrapper/layer/api.h"
#include "wrapper/session/allocations.h"

namespace warpscope::layer {

/// Thread-safe. The application cannot tell: OpenCL's answers about such a buffer are what it asked for.
class GuardedBuffers {
 public:
  explicit GuardedBuffers(Allocations& allocations) : allocations_(allocations) {}

  /// Memory for a buffer that the application wants so, filled if it says with what; none if the buffer has to be in other
  /// memory, there is none, or the request is wrong.
  static std::optional<device::GuardedMemory> memory_for(cl_context context, cl_mem_flags flags,
                                                         std::size_t size, const void* content);
  /// The flags to make it with.
  static cl_mem_flags own_flags(cl_mem_flags asked);
  /// `buffer` lies in `memory`, which lives as long as it does. `asked`: the application's flags.
  void add(cl_mem buffer, cl_mem_flags asked, device::GuardedMemory memory);
  /// Puts right what OpenCL answered about an object, if it is one of these or a part of one.
  void answer(cl_mem object, cl_mem_info name, std::size_t size, void* value) const;

 private:
  struct Buffer {
    cl_mem_flags asked;
    device::GuardedMemory memory;
  };
  static void CL_CALLBACK forget(cl_mem buffer, void* self);

  Allocations& allocations_;
  mutable std::mutex mutex_;
  std::map<cl_mem, Buffer> buffers_;
};

}  // namespace warpscope::layer
