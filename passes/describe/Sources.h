//===- Sources.h - whose values flow into a value ------------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_SOURCES_H
#define WARPSCOPE_PASSES_SOURCES_H

#include "traces/program/kernel_info.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instruction.h"

namespace wspasses {

/// Site of every recorded instruction.
using SiteNumbers = llvm::DenseMap<const llvm::Instruction *, uint32_t>;

/// The loads and atomics whose values flow into `V` through registers; traces/FORMAT.md, "Sources
/// of an address". Loads that are not recorded are left out.
warpscope::AddressSources sourcesOf(const llvm::Value *V, const SiteNumbers &Sites);

/// All of them in one list, ascending.
std::vector<warpscope::SiteId> allOf(const warpscope::AddressSources &Sources);

} // namespace wspasses

#endif
