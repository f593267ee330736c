//===- Texts.h - texts for people that a module carries ---------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_RECURSION_TEXTS_H
#define WARPSCOPE_PASSES_RECURSION_TEXTS_H

#include "llvm/IR/Module.h"

namespace wspasses {

/// A pointer to the text in constant memory.
llvm::Constant *textConstant(llvm::Module &M, llvm::StringRef Text);

} // namespace wspasses

#endif
