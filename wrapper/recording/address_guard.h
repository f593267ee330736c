#pragma once
// Launches whose addresses are checked before a kernel uses them.
#include <cstdint>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

/// An access outside of every allocation, or at an address that is not aligned as the access needs it.
struct BadAccess {
  const KernelInfo* kernel = nullptr;
  SiteId site;
  std::uint64_t address = 0;
  bool is_misaligned = false;
  Dim3 block, thread;  ///< coordinates of the work-group, and of the work-item in it
};

/// Knows the memory that kernels may use. Called in threads that run one.
class AddressGuard {
 public:
  struct Range {
    std::uint64_t base = 0;
    std::uint64_t size = 0;  ///< bytes; 0 = none
  };
  virtual ~AddressGuard() = default;
  /// The allocation that holds `address`.
  virtual Range allocation_of(std::uint64_t address) = 0;
  /// Returns if a GPU would let the access pass (passes_on_gpu()); otherwise ends the launch and does not return.
  virtual void judge(const BadAccess& access) = 0;
};

/// Where accesses of a site need no further look. A site that is not checked has room everywhere.
struct SiteRoom {
  std::uint64_t base = 0;
  std::uint64_t reach = ~std::uint64_t{0};  ///< bytes from `base` to the last place where an access may begin
  std::uint64_t odd_bits = 0;               ///< bits that no address may have

  [[nodiscard]] bool holds(std::uint64_t address) const {
    return address - base <= reach && (address & odd_bits) == 0;
  }
};

/// Before the first access: no room where addresses are checked.
std::vector<SiteRoom> initial_rooms(const KernelInfo& kernel);

struct NearestAllocation {
  AddressGuard::Range range;  ///< size 0: there is no allocation
  std::string name;
  bool is_freed = false;          ///< whether the address was in it before it was freed
  AddressGuard::Range room = {};  ///< what can be accessed around it without harm; size 0: nothing
};

/// Whether a GPU would not notice: it knows pages, not allocations, so a load that misses an allocation by less than
/// a page of 2 MiB (what cuMemGetAllocationGranularity() gives) reads whatever is there. Here that is read, too, if
/// the process has memory there. Stores pass in the room around the allocation: elsewhere they would change the program's
/// own memory.
bool passes_on_gpu(const BadAccess& access, const NearestAllocation& nearest);

/// For people, without the thread: the same line for all that a site does so.
std::string describe_passed(const BadAccess& access, const NearestAllocation& nearest);

/// "kernel 'step', wild.cu:4:18: store of 4 bytes: 4 bytes behind d_A of 4096 bytes; block [0,0,0], …".
std::string describe(const BadAccess& access, const NearestAllocation& nearest);

}  // namespace warpscope
