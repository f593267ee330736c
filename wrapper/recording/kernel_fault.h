#pragma once
// What a thread was doing when its kernel faulted, for people: which work-item, which access, the likely
// cause.
#include <array>
#include <cstdint>
#include <string>

#include "traces/base/types.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

/// Plain values, taken in the signal handler of the thread that faulted.
struct KernelFault {
  std::int32_t signal = 0;
  bool has_address = false;        ///< the processor refused `address` (not with traps and aborts)
  bool is_stack_overflow = false;  ///< the thread's stack is used up
  bool has_group = false;          ///< a work-group was running: launch and group are known
  bool has_site = false;           ///< and has come to an access or a barrier: what follows it is known
  bool is_told_ahead = false;      ///< the group's accesses were recorded before it ran, not as they came
  LaunchId launch;
  WorkGroupId group;
  SiteId site;                ///< of the last access or barrier before the fault; told ahead: of the first
                              ///< access to `address`
  WorkItemId item;            ///< which executed it
  std::uint64_t address = 0;  ///< of this process
  std::uint64_t access = 0;   ///< first byte of that access; 0 = a barrier
  std::uint64_t object = 0;   ///< where the memory object of the site begins; 0 = not known
  std::uint64_t object_size = 0;  ///< bytes
  std::array<char, 256>
      trap_place{};  ///< "file:line:column" of a trap, which `item` came to; "" = it is none
};

/// "kernel 'k' faulted (SIGSEGV) in work-item 0 of work-group 2 at k.cl:3:5: …". `kernel`: of the launch.
std::string describe(const KernelFault& fault, const KernelInfo& kernel);

}  // namespace warpscope
