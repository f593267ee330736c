//===- Skeleton.cpp ---------------------------------------------------------===//
#include "passes/record/Skeleton.h"

#include "passes/lower/BuiltinNames.h"
#include "passes/record/Strides.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace wspasses {

namespace {

class SkeletonBuilder {
public:
  SkeletonBuilder(Function &Kernel, const KernelPlan &Plan, const AffineValues &Values,
                  const RuntimeCalls &Calls)
      : Kernel(Kernel), Plan(Plan), Values(Values), Calls(Calls) {}

  Function *run(bool WithBranches) {
    clone();
    BasicBlock &Entry = Skeleton->getEntryBlock();
    IRBuilder<> Builder(&Entry, Entry.begin());
    Violated = Builder.CreateAlloca(Builder.getInt32Ty());
    Builder.CreateStore(Builder.getInt32(0), Violated);
    StrideBuilder Steps(box(), Violated);
    addStrides(Steps);
    reportSites(Steps);
    for (BasicBlock &Block : *Skeleton)
      finishBlock(*Block.getTerminator(), WithBranches);
    removeTheRest();
    DominatorTree Dominators(*Skeleton);
    PromoteMemToReg({Violated}, Dominators);
    return Skeleton;
  }

private:
  void clone() {
    SmallVector<Type *, 16> Types;
    for (Argument &A : Kernel.args())
      Types.push_back(A.getType());
    Types.append(6, Type::getInt64Ty(Kernel.getContext()));
    auto *Signature = FunctionType::get(Type::getInt32Ty(Kernel.getContext()), Types, false);
    Skeleton = Function::Create(Signature, GlobalValue::InternalLinkage,
                                Kernel.getName() + ".boxes", Kernel.getParent());
    for (Argument &A : Kernel.args())
      Copies[&A] = Skeleton->getArg(A.getArgNo());
    SmallVector<ReturnInst *, 4> Returns;
    CloneFunctionInto(Skeleton, &Kernel, Copies, CloneFunctionChangeType::LocalChangesOnly,
                      Returns);
    Skeleton->setAttributes({});
    Skeleton->setCallingConv(CallingConv::SPIR_FUNC);
    stripDebugInfo(*Skeleton);
    Skeleton->clearMetadata();
    for (Instruction &I : instructions(Kernel))
      if (!I.isTerminator() && (!Values.Needed.contains(&I) || isReplaced(I)))
        Dead.push_back(copyOf(&I));
  }

  static bool isReplaced(const Instruction &I) {
    const WorkItemValue Kind = workItemValueOf(I);
    return Kind == WorkItemValue::LocalId || Kind == WorkItemValue::GlobalId || isa<AllocaInst>(I);
  }

  BoxValues box() const {
    BoxValues Result;
    const unsigned First = Kernel.arg_size();
    for (unsigned D = 0; D < 3; ++D) {
      Result.Origin[D] = Skeleton->getArg(First + D);
      Result.Reach[D] = Skeleton->getArg(First + 3 + D);
    }
    return Result;
  }

  template <class T> T *copyOf(const T *Original) const {
    return cast<T>(static_cast<Value *>(Copies.lookup(Original)));
  }

  void addStrides(StrideBuilder &Steps) {
    for (BasicBlock *Block : ReversePostOrderTraversal<Function *>(&Kernel))
      for (Instruction &I : *Block)
        if (Values.Needed.contains(&I))
          Steps.add(*copyOf(&I), workItemValueOf(I), Values.Varying.contains(&I));
    Steps.complete();
    for (BasicBlock &Block : *Skeleton)
      if (auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator()))
        Steps.checkSwitch(*Switch);
    for (size_t Index = 0; Index < Plan.Objects.size(); ++Index)
      if (const auto *Array = dyn_cast<AllocaInst>(Plan.Objects[Index])) {
        AllocaInst *const Copy = copyOf(Array);
        Constant *const Place =
            ConstantInt::get(Type::getInt64Ty(Kernel.getContext()), placeOfPrivateArray(Index));
        Copy->replaceAllUsesWith(ConstantExpr::getIntToPtr(Place, Copy->getType()));
      }
  }

  /// Sites of a block whose addresses differ by constants are reported by one call.
  struct Batch {
    Strides Steps;
    SmallVector<uint64_t, 16> SitesAndOffsets;
  };

  void reportSites(const StrideBuilder &Steps) {
    MapVector<BasicBlock *, MapVector<Value *, Batch>> Blocks;
    const DataLayout &Layout = Kernel.getParent()->getDataLayout();
    for (size_t Id = 0; Id < Plan.Sites.size(); ++Id) {
      const Site &Found = Plan.Sites[Id];
      Instruction *const Place = copyOf(Found.Inst);
      IRBuilder<> Builder(Place);
      if (!Found.Address) {
        Calls.call(Builder, BoxSyncSlot, {Builder.getInt32(Id)});
        continue;
      }
      Value *const Copy = Copies.lookup(Found.Address);
      Value *const Address = Copy ? Copy : Found.Address; // constants are not copied
      APInt Offset(Layout.getIndexTypeSizeInBits(Address->getType()), 0);
      Value *const Base = Address->stripAndAccumulateConstantOffsets(Layout, Offset, true);
      Batch &Mine = Blocks[Place->getParent()][Base];
      Mine.Steps = Steps.of(Base);
      Mine.SitesAndOffsets.push_back(Id);
      Mine.SitesAndOffsets.push_back(Offset.getSExtValue());
    }
    for (auto &[Block, Batches] : Blocks)
      for (auto &[Base, Mine] : Batches)
        report(*Block, Base, Mine);
  }

  void report(BasicBlock &Block, Value *Base, const Batch &Mine) {
    IRBuilder<> Builder(Block.getTerminator());
    Constant *const Numbers =
        ConstantDataArray::get(Kernel.getContext(), makeArrayRef(Mine.SitesAndOffsets));
    auto *const Table = new GlobalVariable(
        *Kernel.getParent(), Numbers->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
        Numbers, Kernel.getName() + ".sites", nullptr, GlobalValue::NotThreadLocal, ConstantSpace);
    Type *const Number = Builder.getInt64Ty();
    const auto Step = [&](Value *V) { return V ? V : Builder.getInt64(0); };
    Calls.call(Builder, BoxAccessesSlot,
               {Builder.CreatePtrToInt(Base, Number), Step(Mine.Steps[0]), Step(Mine.Steps[1]),
                Step(Mine.Steps[2]), Builder.CreatePtrToInt(Table, Number),
                Builder.getInt32(Mine.SitesAndOffsets.size() / 2)});
  }

  void finishBlock(Instruction &Terminator, bool WithBranches) {
    IRBuilder<> Builder(&Terminator);
    if (isa<ReturnInst>(Terminator) || isa<UnreachableInst>(Terminator)) {
      Builder.CreateRet(Builder.CreateLoad(Builder.getInt32Ty(), Violated));
      Terminator.eraseFromParent();
      return;
    }
    const unsigned Successors = Terminator.getNumSuccessors();
    if (Successors < 2 || !WithBranches)
      return;
    Calls.call(
        Builder, BoxBranchSlot,
        {outcomeOf(Builder, Terminator), Builder.getInt32(warpscope::outcome_bits(Successors))});
  }

  /// Everything that was copied and is not needed: accesses, barriers, and what computes values.
  void removeTheRest() {
    for (Instruction *I : Dead) {
      if (!I->use_empty())
        I->replaceAllUsesWith(UndefValue::get(I->getType()));
      I->eraseFromParent();
    }
  }

  Function &Kernel;
  const KernelPlan &Plan;
  const AffineValues &Values;
  const RuntimeCalls &Calls;
  ValueToValueMapTy Copies;
  std::vector<Instruction *> Dead;
  Function *Skeleton = nullptr;
  AllocaInst *Violated = nullptr;
};

} // namespace

Function *makeSkeleton(Function &Kernel, const KernelPlan &Plan, const AffineValues &Values,
                       const RuntimeCalls &Calls, bool WithBranches) {
  return SkeletonBuilder(Kernel, Plan, Values, Calls).run(WithBranches);
}

} // namespace wspasses
