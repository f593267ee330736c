#pragma once
// In place of Thrust's own header where its device is the CPU: the vectors lie in the device's
// memory all the same.
#include <thrust/detail/config.h>
#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CPP
#include_next <thrust/system/cpp/memory_resource.h>
#else
#include <new>

#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/mr/new.h>
#include <thrust/system/cpp/pointer.h>

namespace thrust {
namespace system {
namespace cpp {

namespace detail {
// cudaMalloc() aligns to 256 bytes.
class device_memory_resource final : public thrust::mr::memory_resource<> {
public:
  void *do_allocate(std::size_t bytes, std::size_t) override {
    void *thrust_memory = nullptr;
    warpscopeNoteUntraced("Thrust");
    if (cudaMalloc(&thrust_memory, bytes) != cudaSuccess)
      throw std::bad_alloc();
    return thrust_memory;
  }
  void do_deallocate(void *pointer, std::size_t, std::size_t) override { cudaFree(pointer); }
};

typedef thrust::mr::fancy_pointer_resource<device_memory_resource, thrust::cpp::pointer<void>>
    native_resource;
typedef thrust::mr::fancy_pointer_resource<device_memory_resource,
                                           thrust::cpp::universal_pointer<void>>
    universal_native_resource;
} // namespace detail

typedef detail::native_resource memory_resource;
typedef detail::universal_native_resource universal_memory_resource;
typedef detail::native_resource universal_host_pinned_memory_resource;

} // namespace cpp
} // namespace system
} // namespace thrust
#endif
