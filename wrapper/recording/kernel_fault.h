#pragma once
// What a thread was doing when its kernel faulted, as text: which work-item, which access, and the likely cause.
#include <array>
#include <cstdint>
#include <string>

#include "traces/base/types.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

/// Plain values, taken in the signal handler of the thread that faulted.
struct KernelFault {
  std::int32_t signal = 0;
  bool has_address = false;        ///< the processor refused `address`; false for traps and aborts
  bool is_stack_overflow = false;  ///< the thread's stack is used up
  bool has_group = false;          ///< a work-group was running: launch and group are known
  bool has_site = false;      ///< it reached an access or a barrier: `site` and the fields after it are known
  bool is_predicted = false;  ///< the group's accesses were predicted, not recorded as they were made
  LaunchId launch;
  WorkGroupId group;
  /// The site of the last access or barrier before the fault; if predicted, of the first access to `address`.
  SiteId site;
  WorkItemId item;                ///< the work-item that executed `site`
  std::uint64_t address = 0;      ///< the faulting address in this process
  std::uint64_t access = 0;       ///< first byte of the access at `site`; 0 for a barrier
  std::uint64_t object = 0;       ///< where the memory object of the site begins; 0 if it is not known
  std::uint64_t object_size = 0;  ///< its size in bytes
  /// "file:line:column" of the trap that `item` reached; empty if it is no trap.
  std::array<char, 256> trap_place{};
};

/// "kernel 'k' faulted (SIGSEGV) in work-item 0 of work-group 2 at k.cl:3:5: …". `kernel`: of the launch.
std::string describe(const KernelFault& fault, const KernelInfo& kernel);

}  // namespace warpscope
