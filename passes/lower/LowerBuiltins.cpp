//===- LowerBuiltins.cpp - fences, prefetch, and who defines the rest -------===//
#include "passes/lower/LowerBuiltins.h"

#include "passes/RuntimeABI.h"
#include "passes/lower/Traps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr uint64_t LocalMemFence = 1;
constexpr uint64_t GlobalMemFence = 2;

SmallVector<CallInst *, 8> callsOf(Function &F) {
  SmallVector<CallInst *, 8> Calls;
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallInst>(U))
      if (Call->getCalledFunction() == &F)
        Calls.push_back(Call);
  return Calls;
}

/// A fence whose scope is the work-group orders no more than one of local memory does.
void replaceByFence(CallInst *Call, AtomicOrdering Ordering) {
  IRBuilder<> Builder(Call);
  FenceInst *Fence = Builder.CreateFence(Ordering);
  const bool IsOfGroup = Call->arg_size() > 2 && isGroupScope(Call->getArgOperand(2));
  LLVMContext &Context = Call->getContext();
  Fence->setMetadata(
      FenceMetadata,
      MDNode::get(
          Context,
          MDString::get(Context, IsOfGroup ? "local" : fenceSpaces(Call->getArgOperand(0)))));
  Call->eraseFromParent();
}

/// PoCL's library has no mem_fence, read_mem_fence, write_mem_fence or atomic_work_item_fence for
/// bitcode.
bool lowerFence(Function &F, const BuiltinName &Name) {
  AtomicOrdering Ordering;
  if (Name.Base == "mem_fence")
    Ordering = AtomicOrdering::AcquireRelease;
  else if (Name.Base == "read_mem_fence")
    Ordering = AtomicOrdering::Acquire;
  else if (Name.Base == "write_mem_fence")
    Ordering = AtomicOrdering::Release;
  else if (Name.Base == "atomic_work_item_fence")
    Ordering = AtomicOrdering::SequentiallyConsistent;
  else
    return false;
  for (CallInst *Call : callsOf(F))
    replaceByFence(Call, Ordering);
  return true;
}

/// work_group_barrier(flags[, scope]) is OpenCL 2.0's name of barrier(flags).
bool lowerWorkGroupBarrier(Function &F, const BuiltinName &Name) {
  if (Name.Base != "work_group_barrier")
    return false;
  Type *I32 = Type::getInt32Ty(F.getContext());
  auto *Signature = FunctionType::get(Type::getVoidTy(F.getContext()), {I32}, false);
  Function *Barrier = declareBuiltin(*F.getParent(), "_Z7barrierj", Signature, /*ReadNone=*/false);
  Barrier->setConvergent();
  for (CallInst *Call : callsOf(F)) {
    IRBuilder<> Builder(Call);
    CallInst *New = Builder.CreateCall(Barrier, {Call->getArgOperand(0)});
    New->setCallingConv(CallingConv::SPIR_FUNC);
    New->setConvergent();
    Call->eraseFromParent();
  }
  return true;
}

/// Every GPU numbers work-items and work-groups in 32 bits, whatever size_t is: at most 1,024
/// work-items and 2^31 - 1 work-groups (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability"). Its compiler knows (LLVM: NVVMIntrRange). Without that `int x =
/// get_local_id(0)` is a truncation that instcombine mixes with what is added to x, and every
/// constant added takes a register of its own.
bool boundIds(Function &F, const BuiltinName &Name) {
  static constexpr const char *Ids[] = {"get_local_id", "get_local_size", "get_group_id",
                                        "get_num_groups", "get_global_id"};
  if (!is_contained(Ids, Name.Base) || !F.getReturnType()->isIntegerTy(64))
    return false;
  MDNode *Range =
      MDBuilder(F.getContext()).createRange(APInt(64, 0), APInt(64, WARPSCOPE_MOST_IDS + 1u));
  for (CallInst *Call : callsOf(F))
    Call->setMetadata(LLVMContext::MD_range, Range);
  return true;
}

/// A prefetch makes no access that a work-item waits for, and GPUs' compilers drop it.
bool dropPrefetch(Function &F, const BuiltinName &Name) {
  if (Name.Base != "prefetch")
    return false;
  for (CallInst *Call : callsOf(F))
    Call->eraseFromParent();
  return true;
}

} // namespace

std::string fenceSpaces(const Value *Flags) {
  const auto *Constant = dyn_cast<ConstantInt>(Flags);
  const uint64_t Bits = Constant ? Constant->getZExtValue() : LocalMemFence | GlobalMemFence;
  const bool Local = Bits & LocalMemFence, Global = Bits & GlobalMemFence;
  return Local && Global ? "local|global" : Local ? "local" : Global ? "global" : "";
}

CallInst *queryWorkItemFunction(IRBuilderBase &Builder, StringRef Mangled, unsigned Dimension) {
  auto *Signature = FunctionType::get(Builder.getInt64Ty(), {Builder.getInt32Ty()}, false);
  Module &M = *Builder.GetInsertBlock()->getModule();
  CallInst *Call = Builder.CreateCall(declareBuiltin(M, Mangled, Signature, /*ReadNone=*/true),
                                      {Builder.getInt32(Dimension)});
  Call->setCallingConv(CallingConv::SPIR_FUNC);
  return Call;
}

void makeInlinable(Function &F) {
  F.setLinkage(GlobalValue::InternalLinkage);
  // Without debug information of its own, the body gets the location of the call when it is
  // inlined.
  F.setSubprogram(nullptr);
  F.removeFnAttr(Attribute::NoInline);
  F.addFnAttr(Attribute::AlwaysInline);
}

PreservedAnalyses LowerBuiltinsPass::run(Module &M, ModuleAnalysisManager &) {
  lowerTraps(M);
  mirrorLanes(M);
  SmallVector<Function *, 32> Declarations;
  for (Function &F : M)
    if (F.isDeclaration() && !F.isIntrinsic())
      Declarations.push_back(&F);
  for (Function *F : Declarations) {
    Optional<BuiltinName> Name = parseBuiltinName(F->getName());
    if (!Name)
      continue;
    boundIds(*F, *Name) || lowerFence(*F, *Name) || lowerWorkGroupBarrier(*F, *Name) ||
        dropPrefetch(*F, *Name) || defineVectorAccess(*F, *Name) || defineAsyncCopy(*F, *Name) ||
        defineMath(*F, *Name) || lowerAtomics(*F, *Name);
    if (F->isDeclaration() && F->use_empty())
      F->eraseFromParent();
  }
  return PreservedAnalyses::none();
}

} // namespace wspasses
