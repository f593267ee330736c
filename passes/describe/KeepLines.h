//===- KeepLines.h - source lines that no pass loses --------------*- C++ -*-===//
//
// Some passes of LLVM build a new access and give it neither the metadata of the old one nor its
// debug location; others drop all metadata of what they move. So the accesses of a function are
// listed before each pass, and after it those without a mark (SourceLines.h) get the marks of what
// they replace.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_KEEPLINES_H
#define WARPSCOPE_PASSES_KEEPLINES_H

#include "llvm/IR/PassInstrumentation.h"

namespace wspasses {

/// From now on every function and module pass is watched. Costs nothing before MarkLinesPass ran.
void keepSourceLines(llvm::PassInstrumentationCallbacks &Callbacks);

} // namespace wspasses

#endif
