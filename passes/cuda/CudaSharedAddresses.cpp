//===- CudaSharedAddresses.cpp - shared memory has 32-bit addresses --------===//
//
// NVIDIA's compilers compute addresses of shared memory in 32 bits. An unsigned index below zero
// wraps with them: s[~i], with an unsigned i, is the element i + 1 in front of s. In 64 bits it
// would be 16 GiB behind. Indices are thus extended as signed: modulo 2^32 bytes that is the same
// address, and no other address of the same object is.
//
//===----------------------------------------------------------------------===//
#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/BuiltinNames.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr unsigned MostSteps = 8; ///< sums within sums

/// `Index` with its parts of 32 bits extended as signed; null if none is extended as unsigned.
/// Of the sums and products here the lower half of a result depends on the lower halves alone.
Value *extendedAsSigned(Value *Index, unsigned Steps, IRBuilder<> &Builder) {
  if (auto *Extended = dyn_cast<ZExtInst>(Index))
    return Extended->getSrcTy()->isIntegerTy(32)
               ? Builder.CreateSExt(Extended->getOperand(0), Extended->getType())
               : nullptr;
  auto *Operation = dyn_cast<BinaryOperator>(Index);
  if (Operation && Operation->getOpcode() == Instruction::Xor) // ~i, as LLVM has it
    return Builder.CreateSExt(Builder.CreateTrunc(Index, Builder.getInt32Ty()), Index->getType());
  if (!Operation || Steps == 0 ||
      !is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul, Instruction::Shl},
                    Operation->getOpcode()))
    return nullptr;
  Value *Left = Operation->getOperand(0), *Right = Operation->getOperand(1);
  Value *NewLeft = extendedAsSigned(Left, Steps - 1, Builder);
  Value *NewRight = Operation->getOpcode() == Instruction::Shl
                        ? nullptr
                        : extendedAsSigned(Right, Steps - 1, Builder);
  if (!NewLeft && !NewRight)
    return nullptr;
  return Builder.CreateBinOp(Operation->getOpcode(), NewLeft ? NewLeft : Left,
                             NewRight ? NewRight : Right);
}

} // namespace

PreservedAnalyses CudaSharedAddressesPass::run(Function &F, FunctionAnalysisManager &) {
  if (!F.hasFnAttribute(DisplayNameAttribute))
    return PreservedAnalyses::all();
  SmallVector<GetElementPtrInst *, 16> Addresses;
  for (Instruction &I : instructions(F))
    if (auto *Address = dyn_cast<GetElementPtrInst>(&I);
        Address && Address->getPointerAddressSpace() == LocalSpace)
      Addresses.push_back(Address);
  for (GetElementPtrInst *Address : Addresses) {
    IRBuilder<> Builder(Address);
    for (Use &Index : Address->indices())
      if (Value *Signed = extendedAsSigned(Index, MostSteps, Builder)) {
        Index.set(Signed);
        Address->setIsInBounds(false); // what is in front of an object is not in its bounds
      }
  }
  return PreservedAnalyses::none();
}

} // namespace wspasses
