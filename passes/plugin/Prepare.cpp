//===- Prepare.cpp ----------------------------------------------------------===//
#include "passes/plugin/Prepare.h"

#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/LowerBuiltins.h"
#include "passes/lower/Traps.h"
#include "passes/vectors/VectorWidths.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr uint64_t GpuObjectAlignment = 16;
constexpr const char *SpirDataLayout =
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024";

constexpr const char *NativeIntegers = "-n16:32:64"; ///< as NVPTX's layout says

bool isKernel(const Function &F) { return F.getCallingConv() == CallingConv::SPIR_KERNEL; }

void useSpirCallingConvention(Function &F) {
  if (!F.isIntrinsic() && F.getCallingConv() == CallingConv::C)
    F.setCallingConv(CallingConv::SPIR_FUNC);
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (!isa<IntrinsicInst>(Call) && !Call->isInlineAsm() &&
          Call->getCallingConv() == CallingConv::C)
        Call->setCallingConv(CallingConv::SPIR_FUNC);
}

} // namespace

PreservedAnalyses ForceInlinePass::run(Module &M, ModuleAnalysisManager &) {
  for (Function &F : M) {
    if (F.isDeclaration() || F.getName().startswith(HardwarePrefix))
      continue;
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    // A kernel may be called like a function; it stays a kernel, so only its calls are marked.
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U)) {
        Call->removeFnAttr(Attribute::NoInline);
        Call->addFnAttr(Attribute::AlwaysInline);
      }
    if (isKernel(F))
      continue;
    F.addFnAttr(Attribute::AlwaysInline);
    F.setLinkage(GlobalValue::InternalLinkage);
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses GpuAlignPass::run(Module &M, ModuleAnalysisManager &) {
  // SPIR's layout names no native integers, so instcombine would invent types such as i3.
  if (StringRef Text = M.getDataLayoutStr(); !Text.contains("-n"))
    M.setDataLayout((Text + NativeIntegers).str());
  const DataLayout &Layout = M.getDataLayout();
  const Align Wanted(GpuObjectAlignment);
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == LocalSpace && !G.isDeclaration() &&
        Layout.getTypeAllocSize(G.getValueType()) >= GpuObjectAlignment &&
        G.getAlign().valueOrOne() < Wanted) {
      G.setAlignment(Wanted);
      G.setMetadata(RaisedAlignment, MDNode::get(M.getContext(), {}));
    }
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Alloca = dyn_cast<AllocaInst>(&I)) {
        auto Bits = Alloca->getAllocationSizeInBits(Layout);
        if (Bits && *Bits >= GpuObjectAlignment * 8 && Alloca->getAlign() < Wanted)
          Alloca->setAlignment(Wanted);
      }
  return PreservedAnalyses::none();
}

/// Zero where a phi gets an undefined value. PoCL 3.1 keeps values across barriers for each
/// work-item, and mixes up those of a phi that is undefined on one way.
static void definePhis(Function &F) {
  for (BasicBlock &Block : F)
    for (PHINode &Phi : Block.phis())
      for (Use &Value : Phi.incoming_values())
        if (isa<UndefValue>(Value))
          Value = Constant::getNullValue(Phi.getType());
}

PreservedAnalyses ToSpirPass::run(Module &M, ModuleAnalysisManager &) {
  M.setTargetTriple(SpirTriple);
  M.setDataLayout(SpirDataLayout);
  for (Function &F : M) {
    F.removeFnAttr("target-cpu");
    F.removeFnAttr("target-features");
    useSpirCallingConvention(F);
    definePhis(F);
    if (isKernel(F))
      returnWhereUnreachable(F);
  }
  raiseAtomics(M);
  if (NamedMDNode *Annotations = M.getNamedMetadata("nvvm.annotations"))
    M.eraseNamedMetadata(Annotations);
  if (!M.getNamedMetadata("opencl.spir.version")) {
    Type *I32 = Type::getInt32Ty(M.getContext());
    auto Number = [&](uint64_t Value) {
      return ConstantAsMetadata::get(ConstantInt::get(I32, Value));
    };
    M.getOrInsertNamedMetadata("opencl.spir.version")
        ->addOperand(MDNode::get(M.getContext(), {Number(1), Number(2)}));
  }
  return PreservedAnalyses::none();
}

} // namespace wspasses
