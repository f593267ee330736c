#pragma once
// The application's memory objects: which buffer of the capture they are, and their addresses.
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "wrapper/layer/api.h"
#include "wrapper/layer/extensions.h"
#include "wrapper/recording/address_guard.h"
#include "wrapper/session/allocations.h"
#include "wrapper/session/session.h"

namespace warpscope::layer {

/// A part of a numbered buffer.
struct BufferPart {
  BufferId buffer;           ///< 0 = none
  std::uint64_t offset = 0;  ///< bytes from the buffer's start
  std::uint64_t size = 0;    ///< bytes
};

class Memory {
 public:
  Memory(Session& session, Allocations& allocations) : session_(session), allocations_(allocations) {}

  /// The buffer or sub-buffer `object`, numbered if it is new; its name is then `name`.
  BufferPart find(cl_mem object, const std::string& name, AddressSpace space);
  /// The allocation of shared virtual memory that holds `address`; without one, none.
  BufferPart find_svm(const void* address, const std::string& name, AddressSpace space);
  void add_svm(cl_context context, const void* address, std::size_t size, cl_svm_mem_flags flags);
  /// Names an allocation; unknown memory of `size` bytes becomes one, and what has 0 is none any more. `use`: as of kNameMemory.
  void name_svm(cl_context context, const void* address, std::size_t size, const std::string& name,
                const void* room, std::size_t room_size, MemoryUse use);
  void remove_svm(const void* address);

  /// The allocation of shared virtual memory that holds `address`, else the freed one that did, else the nearest.
  [[nodiscard]] NearestAllocation nearest_svm(std::uint64_t address) const;

  /// An argument that was `part` lay at `address` in the last launch.
  void learn_address(const BufferPart& part, std::uint64_t address);
  /// All memory of the context whose address is known. Allocations with a name are numbered for it: kernels may
  /// find them by pointers in memory.
  std::vector<PlacedObject> placed(cl_context context);
  /// The same; those without a name are called by their order among all.
  std::vector<PlacedObject> all_placed(cl_context context);

 private:
  struct Buffer {
    BufferId id;
    std::uint64_t size = 0;
    std::uint64_t address = 0;  ///< 0 = not known yet
    cl_context context = nullptr;
    std::string flags;
    std::string name;  ///< empty: that of the first argument
    AddressGuard::Range room = {};
    std::uint64_t order = 0;  ///< number of the allocation of shared virtual memory
  };

  void number(Buffer& buffer, const std::string& name, AddressSpace space);
  static void CL_CALLBACK forget(cl_mem object, void* memory);

  Session& session_;
  Allocations& allocations_;
  mutable std::mutex mutex_;
  std::map<cl_mem, Buffer> buffers_;     ///< buffers without sub-buffers
  std::map<std::uint64_t, Buffer> svm_;  ///< shared virtual memory by address
  std::uint64_t orders_ = 0;
  std::deque<Buffer> freed_;  ///< freed shared virtual memory, the last first
};

}  // namespace warpscope::layer
