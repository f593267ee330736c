#pragma once
// The program's allocations. Device memory is the host's: a pointer is the same on both sides.
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "wrapper/device/guarded_memory.h"

namespace warpscope::cuda {

enum class MemoryKind : std::uint8_t {
  Device,
  Managed,
  Host,        ///< cudaMallocHost, cudaHostAlloc
  Registered,  ///< cudaHostRegister: the program's own memory
  Symbol,      ///< memory of a variable; freed with the process
  Heap,        ///< memory of malloc() in kernels, which the host does not see
};

struct Allocation {
  std::uint64_t address = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  unsigned flags = 0;     ///< flags that the program gave
  std::string name = {};  ///< name in captures and messages

  [[nodiscard]] void* pointer() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): allocate() made it a number
    return reinterpret_cast<void*>(address);
  }
};

/// What kernels may access: an allocation and the room around it that is nobody else's.
struct MemoryRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// Thread-safe.
class Memory {
 public:
  static Memory& get();

  /// Throws Failure(cudaErrorMemoryAllocation). `name`: in captures. Zero bytes give a null pointer.
  void* allocate(std::size_t bytes, MemoryKind kind, const std::string& name, unsigned flags = 0);
  /// Of allocate(), by one of two kinds; throws Failure(cudaErrorInvalidValue) for any other pointer. Null is
  /// ignored.
  void release(void* pointer, MemoryKind kind, MemoryKind or_kind);
  void register_host(void* pointer, std::size_t bytes, unsigned flags);
  void unregister_host(void* pointer);
  /// A managed variable, which is the host's memory.
  void adopt_symbol(void* pointer, std::size_t bytes, const std::string& name);
  /// Memory of a module, for what no variable's name is known of: texts of its kernels. It stays.
  void adopt_section(const void* pointer, std::size_t bytes);
  /// Of adopt_symbol(): kernels may no longer use it. Others are ignored.
  void forget_symbol(void* pointer);

  /// The allocation that holds `pointer`.
  [[nodiscard]] std::optional<Allocation> find(const void* pointer) const;
  /// "600 bytes behind d_A of 4096 bytes", for an address that no kernel may use.
  [[nodiscard]] std::string relation_to(std::uint64_t address) const;
  /// Throws Failure(cudaErrorInvalidValue) unless `bytes` from `pointer` are in one allocation that kernels
  /// can use.
  void require_device(const void* pointer, std::size_t bytes) const;
  /// Of each allocation, ascending.
  [[nodiscard]] std::vector<MemoryRange> usable() const;
  /// Bytes of all Device, Managed and Symbol memory.
  [[nodiscard]] std::size_t used_bytes() const;
  /// cudaDeviceReset(): frees everything but what belongs to the host or to variables.
  void release_all();

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::size_t> sections_;           ///< bytes by address
  std::map<std::uint64_t, Allocation> allocations_;         ///< allocations by address
  std::map<std::uint64_t, device::GuardedMemory> guarded_;  ///< the memory of those that allocate() made
};

/// cudaLimitMallocHeapSize, bytes. It may be set until the first kernel that allocates: throws Failure.
std::size_t heap_bytes();
void set_heap_bytes(std::size_t bytes);
/// Before a kernel that allocates: of machine code, whose heap is machine::DeviceMemory's; of Warpscope's compiler.
void keep_heap_bytes();
void prepare_heap();

/// What the next allocation of this thread is called: see warpscopeNameNextAllocation(). `take`: and then no
/// more. "" if nothing is known.
void name_next_allocation(const std::string& name);
std::string take_next_name();

/// The variable in the text of an allocation's arguments: "(void **)&d_A, bytes" → "d_A"; "" if the first
/// argument is no variable, element or member.
std::string variable_in(const std::string& arguments);

}  // namespace warpscope::cuda
