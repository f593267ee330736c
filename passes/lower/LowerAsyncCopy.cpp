//===- LowerAsyncCopy.cpp - async_work_group_copy as work-items do it -------===//
//
// Without a copy engine a GPU's work-items share the elements out: item l copies l, l + size, l + 2
// size, …, and wait_group_events is a barrier. Events become plain values that nobody reads.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/LowerBuiltins.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

struct CopyLoop {
  Value *Destination, *Source, *Count;
  Value *DestinationStride, *SourceStride; ///< null = 1
  Type *Element;
};

Value *elementAddress(IRBuilder<> &Builder, Type *Element, Value *Pointer, Value *Index,
                      Value *Stride) {
  Value *Typed = Builder.CreateBitCast(
      Pointer, Element->getPointerTo(Pointer->getType()->getPointerAddressSpace()));
  return Builder.CreateInBoundsGEP(Element, Typed,
                                   Stride ? Builder.CreateMul(Index, Stride) : Index);
}

/// for (i = local id; i < Count; i += local size) Destination[i * …] = Source[i * …];
void emitCopyLoop(Function &F, const CopyLoop &Copy, Value *Result) {
  auto *Entry = BasicBlock::Create(F.getContext(), "entry", &F),
       *Header = BasicBlock::Create(F.getContext(), "copy", &F);
  auto *Body = BasicBlock::Create(F.getContext(), "copy.element", &F);
  auto *Exit = BasicBlock::Create(F.getContext(), "copied", &F);
  IRBuilder<> Builder(Entry);
  Value *Id[3], *Size[3];
  for (unsigned D = 0; D < 3; ++D) {
    Id[D] = queryWorkItemFunction(Builder, "_Z12get_local_idj", D);
    Size[D] = queryWorkItemFunction(Builder, "_Z14get_local_sizej", D);
  }
  Value *Plane = Builder.CreateAdd(Id[1], Builder.CreateMul(Size[1], Id[2]));
  Value *First = Builder.CreateAdd(Id[0], Builder.CreateMul(Size[0], Plane));
  Value *Step = Builder.CreateMul(Size[0], Builder.CreateMul(Size[1], Size[2]));
  Builder.CreateBr(Header);
  Builder.SetInsertPoint(Header);
  PHINode *Index = Builder.CreatePHI(Builder.getInt64Ty(), 2);
  Builder.CreateCondBr(Builder.CreateICmpULT(Index, Copy.Count), Body, Exit);
  Builder.SetInsertPoint(Body);
  Value *From = elementAddress(Builder, Copy.Element, Copy.Source, Index, Copy.SourceStride);
  Value *To =
      elementAddress(Builder, Copy.Element, Copy.Destination, Index, Copy.DestinationStride);
  Builder.CreateStore(Builder.CreateLoad(Copy.Element, From), To);
  Index->addIncoming(First, Entry);
  Index->addIncoming(Builder.CreateAdd(Index, Step), Body);
  Builder.CreateBr(Header);
  Builder.SetInsertPoint(Exit);
  Builder.CreateRet(Result);
}

bool defineCopy(Function &F, const BuiltinName &Name) {
  const bool Strided = Name.Base == "async_work_group_strided_copy";
  if (!Strided && Name.Base != "async_work_group_copy")
    return false;
  StringRef Parameters = Name.Parameters;
  BuiltinType Destination = takeBuiltinType(Parameters);
  // A vector of three elements occupies, and is copied as, four.
  Destination.Elements = Destination.Elements == 3 ? 4 : Destination.Elements;
  CopyLoop Copy{F.getArg(0), F.getArg(1), F.getArg(2),
                nullptr,     nullptr,     typeOf(Destination, F.getContext())};
  if (!Destination.IsPointer || !Copy.Element)
    return false;
  // The stride belongs to the side in global memory.
  if (Strided)
    (Destination.AddressSpace == LocalSpace ? Copy.SourceStride : Copy.DestinationStride) =
        F.getArg(3);
  F.removeFnAttr(Attribute::ReadNone);
  emitCopyLoop(F, Copy, F.getArg(F.arg_size() - 1));
  makeInlinable(F);
  return true;
}

bool defineWait(Function &F, const BuiltinName &Name) {
  if (Name.Base != "wait_group_events")
    return false;
  IRBuilder<> Builder(BasicBlock::Create(F.getContext(), "entry", &F));
  auto *Signature = FunctionType::get(Builder.getVoidTy(), {Builder.getInt32Ty()}, false);
  Function *Barrier = declareBuiltin(*F.getParent(), "_Z7barrierj", Signature, /*ReadNone=*/false);
  Barrier->setConvergent();
  CallInst *Call = Builder.CreateCall(Barrier, {Builder.getInt32(3)});
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  Call->setConvergent();
  Builder.CreateRetVoid();
  makeInlinable(F);
  return true;
}

} // namespace

bool defineAsyncCopy(Function &F, const BuiltinName &Name) {
  return defineCopy(F, Name) || defineWait(F, Name);
}

} // namespace wspasses
