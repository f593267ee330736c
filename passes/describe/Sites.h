//===- Sites.h - which instructions are recorded, and why not the others -*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_SITES_H
#define WARPSCOPE_PASSES_SITES_H

#include <string>

#include "traces/base/types.h"
#include "traces/program/kernel_info.h"
#include "llvm/ADT/Optional.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Instructions.h"

namespace wspasses {

/// An instruction that is recorded.
struct Site {
  llvm::Instruction *Inst = nullptr;
  llvm::Value *Address = nullptr; ///< null for barriers and fences
  warpscope::AccessKind Kind = warpscope::AccessKind::Load;
  warpscope::AddressSpace Space = warpscope::AddressSpace::Private;
  uint64_t Width = 0; ///< bytes per work-item
  bool IsVolatile = false;
  bool IsStreaming = false;
  std::string Operation; ///< name of an atomic, barrier or fence
};

/// Why an instruction is not recorded.
enum class SkipReason {
  None,            ///< recorded
  NoAccess,        ///< touches no memory that a kernel can name
  SpaceExcluded,   ///< -warpscope-spaces
  KernelParameter, ///< a struct passed by value: GPUs keep parameters in a constant bank of their
                   ///< own
  Printf,          ///< not part of the kernel's memory behaviour
  Untraceable,     ///< touches memory in a way that cannot be recorded; `What` says how
};
inline constexpr unsigned NumSkipReasons = static_cast<unsigned>(SkipReason::Untraceable) + 1;
const char *nameOf(SkipReason Reason);

/// Which address spaces are recorded; bit n = address space n.
struct SiteOptions {
  unsigned Spaces = ~0u;
  bool Sync = true;
};

struct Verdict {
  SkipReason Reason = SkipReason::NoAccess;
  std::string What; ///< used if Untraceable
  Site Found;       ///< used if None
};

/// The one filter.
Verdict isInterestingInstruction(llvm::Instruction &I, const SiteOptions &Options);

/// Whether NVIDIA's compiler would make a load ld.global.nc: it stands for one of __ldg(), or all
/// that it may read belongs to restrict arguments of the kernel through which nothing is written
/// (NVPTX's canLowerToLDG()).
bool isReadOnlyLoad(const Site &Found);

/// A warp function, or a barrier of the grid: work-items meet there, and no site says so.
llvm::Optional<warpscope::Meeting> meetingOf(const llvm::Instruction &I, uint32_t Position);

} // namespace wspasses

#endif
