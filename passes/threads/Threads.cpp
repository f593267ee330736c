//===- Threads.cpp - kernels whose threads run on stacks of their own --------===//
//
// PoCL runs a block's work-items one after the other from barrier to barrier, so all of them must
// reach each barrier, and none may wait for another one in a loop. CUDA promises more. It also
// computes some branches around barriers wrong. A kernel that needs more (CudaWarp.cpp and
// Branches.cpp decide) becomes two:
//
//  - a function that is one thread: where it is, its arguments and its block's shared memory come
//    out of a frame; barriers and warp functions are calls of a table. It goes into a module of its
//    own, which the driver compiles to a library of the host.
//  - what PoCL runs: the first work-item fills the frame and hands it, with the library, to the
//    runtime (wrapper/threads), which runs the threads.
//
//===----------------------------------------------------------------------===//
#include "passes/threads/Threads.h"
#include "passes/threads/ThreadFrame.h"

#include "passes/RuntimeABI.h"
#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Host.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr unsigned HeaderFields = sizeof(WarpscopeThreadFrameV1) / 8;
/// Positions in WarpscopeThreadCallsV1.
enum CallSlot : unsigned {
  BarrierCall,
  BarrierCountCall,
  ExchangeCall,
  PollCall,
  GridBarrierCall,
  PrintCall
};

/// Makes instructions of all constant expressions that use a value, so that it can be replaced.
void expandConstants(Constant &C) {
  SmallVector<User *, 16> Users(C.users());
  for (User *U : Users) {
    auto *Expression = dyn_cast<ConstantExpr>(U);
    if (!Expression)
      continue;
    expandConstants(*Expression);
    SmallVector<Use *, 16> Uses;
    for (Use &Where : Expression->uses())
      Uses.push_back(&Where);
    for (Use *Where : Uses) {
      auto *I = dyn_cast<Instruction>(Where->getUser());
      if (!I)
        continue;
      Instruction *Before = I;
      if (auto *Phi = dyn_cast<PHINode>(I))
        Before = Phi->getIncomingBlock(*Where)->getTerminator();
      Instruction *Copy = Expression->getAsInstruction(Before);
      // All of a phi's entries for one block must be the same value.
      if (auto *Phi = dyn_cast<PHINode>(I)) {
        const BasicBlock *From = Phi->getIncomingBlock(*Where);
        for (unsigned Entry = 0; Entry < Phi->getNumIncomingValues(); ++Entry)
          if (Phi->getIncomingBlock(Entry) == From && Phi->getIncomingValue(Entry) == Expression)
            Phi->setIncomingValue(Entry, Copy);
      } else {
        Where->set(Copy);
      }
    }
  }
}

/// Turns a kernel of the threads' module into the function of one thread.
class ThreadMaker {
public:
  ThreadMaker(Function &Kernel, Function &Original) : Kernel(Kernel), Original(Original) {}

  ThreadLayout run() {
    makeFunction();
    replaceCalls();
    insertPolls();
    findLocals();
    loadFrame();
    Kernel.eraseFromParent();
    return std::move(Result);
  }

private:
  LLVMContext &context() { return Kernel.getContext(); }

  void makeFunction() {
    Type *Pointer = Type::getInt8PtrTy(context());
    Thread = Function::Create(
        FunctionType::get(Type::getVoidTy(context()), {Pointer, Pointer}, false),
        GlobalValue::ExternalLinkage, Kernel.getName() + ThreadSuffix, Kernel.getParent());
    Thread->addFnAttr(Attribute::NoUnwind);
    Thread->getBasicBlockList().splice(Thread->begin(), Kernel.getBasicBlockList());
    Self = Thread->getArg(1);
  }

  Value *field(IRBuilder<> &Builder, unsigned Index) {
    Value *Frame = Builder.CreateBitCast(Thread->getArg(0), Result.Frame->getPointerTo());
    return Builder.CreateStructGEP(Result.Frame, Frame, Index);
  }

  /// Element `Dimension` of the array that begins at field `First`; both structures begin with
  /// numbers of 64 bits.
  Value *number(IRBuilder<> &Builder, Value *Structure, unsigned First, Value *Dimension) {
    Type *Int = Builder.getInt64Ty();
    Value *Index = Builder.CreateAdd(Builder.CreateZExt(Dimension, Int), Builder.getInt64(First));
    Value *Base = Builder.CreateBitCast(Structure, Int->getPointerTo());
    return Builder.CreateLoad(Int, Builder.CreateInBoundsGEP(Int, Base, Index));
  }

  Value *frameNumber(IRBuilder<> &Builder, size_t Offset, Value *Dimension) {
    return number(Builder, Thread->getArg(0), Offset / sizeof(uint64_t), Dimension);
  }

  /// A work-item's number in its group, and in the grid, as if they had one dimension.
  Value *linearId(IRBuilder<> &Builder, bool InGrid) {
    Value *Result = Builder.getInt64(0);
    for (unsigned D = 3; D-- > 0;) {
      Value *Dimension = Builder.getInt32(D);
      Value *Extent =
          workItemValue(Builder, InGrid ? "get_global_size" : "get_local_size", Dimension);
      Value *Id = workItemValue(Builder, InGrid ? "get_global_id" : "get_local_id", Dimension);
      if (InGrid)
        Id = Builder.CreateSub(Id, workItemValue(Builder, "get_global_offset", Dimension));
      Result = Builder.CreateAdd(Builder.CreateMul(Result, Extent), Id);
    }
    return Result;
  }

  Value *launchValue(IRBuilder<> &Builder, StringRef Name) {
    if (Name == "get_work_dim")
      return frameNumber(Builder, offsetof(WarpscopeThreadFrameV1, dimensions),
                         Builder.getInt32(0));
    if (Name == "get_local_linear_id" || Name == "get_global_linear_id")
      return linearId(Builder, Name == "get_global_linear_id");
    return nullptr;
  }

  Value *workItemValue(IRBuilder<> &Builder, StringRef Name, Value *Dimension) {
    const auto InFrame = [&](size_t Offset) { return frameNumber(Builder, Offset, Dimension); };
    const auto Group = [&] { return InFrame(offsetof(WarpscopeThreadFrameV1, group)); };
    const auto Groups = [&] { return InFrame(offsetof(WarpscopeThreadFrameV1, groups)); };
    const auto Size = [&] { return InFrame(offsetof(WarpscopeThreadFrameV1, local_size)); };
    const auto Offset = [&] { return InFrame(offsetof(WarpscopeThreadFrameV1, offset)); };
    const auto Local = [&] { return number(Builder, Self, 0, Dimension); };
    if (Name == "get_local_id")
      return Local();
    if (Name == "get_group_id")
      return Group();
    if (Name == "get_num_groups")
      return Groups();
    if (Name == "get_local_size" || Name == "get_enqueued_local_size")
      return Size();
    if (Name == "get_global_size")
      return Builder.CreateMul(Groups(), Size());
    if (Name == "get_global_id")
      return Builder.CreateAdd(Builder.CreateAdd(Builder.CreateMul(Group(), Size()), Local()),
                               Offset());
    if (Name == "get_global_offset")
      return Offset();
    return nullptr;
  }

  Value *tableEntry(IRBuilder<> &Builder, CallSlot Slot) {
    Type *Pointer = Type::getInt8PtrTy(context());
    Type *Pointers = Pointer->getPointerTo();
    Value *Where = Builder.CreateBitCast(Self, Pointers->getPointerTo());
    Value *Table = Builder.CreateLoad(
        Pointers, Builder.CreateConstInBoundsGEP1_64(
                      Pointers, Where, offsetof(WarpscopeThreadV1, calls) / sizeof(void *)));
    return Builder.CreateLoad(Pointer, Builder.CreateConstInBoundsGEP1_64(Pointer, Table, Slot));
  }

  CallInst *callTable(IRBuilder<> &Builder, CallSlot Slot, Type *Returned,
                      ArrayRef<Value *> Arguments) {
    Value *Target = tableEntry(Builder, Slot);
    SmallVector<Type *, 4> Types;
    for (Value *A : Arguments)
      Types.push_back(A->getType());
    auto *Signature = FunctionType::get(Returned, Types, false);
    CallInst *Call = Builder.CreateCall(
        Signature, Builder.CreateBitCast(Target, Signature->getPointerTo()), Arguments);
    Call->setConvergent(); // threads that are together are at one place of the code
    return Call;
  }

  /// PoCL's printf writes into a buffer of the launch, which the threads' code does not know.
  Value *print(IRBuilder<> &Builder, CallInst &Call) {
    SmallVector<Value *, 8> Arguments(Call.args());
    FunctionType *Signature = Call.getFunctionType();
    Value *Target = tableEntry(Builder, PrintCall);
    return Builder.CreateCall(Signature, Builder.CreateBitCast(Target, Signature->getPointerTo()),
                              Arguments);
  }

  Value *exchange(IRBuilder<> &Builder, WarpscopeExchange Kind, Value *Mask, Value *Given,
                  Value *Operand) {
    Type *Int = Builder.getInt32Ty(), *Long = Builder.getInt64Ty();
    return callTable(Builder, ExchangeCall, Long,
                     {Builder.getInt32(Kind), Builder.CreateZExtOrTrunc(Mask, Int),
                      Builder.CreateZExtOrTrunc(Given, Long),
                      Builder.CreateZExtOrTrunc(Operand, Int)});
  }

  /// A reduction's name ends with what it does and the type: "_reduce_min_sync_int".
  static WarpscopeExchange reductionOf(StringRef Name) {
    const bool Signed = Name.endswith("_int");
    return StringSwitch<WarpscopeExchange>(Name.rsplit("_sync").first.rsplit('_').second)
        .Case("add", WARPSCOPE_ADD)
        .Case("min", Signed ? WARPSCOPE_MIN_SIGNED : WARPSCOPE_MIN_UNSIGNED)
        .Case("max", Signed ? WARPSCOPE_MAX_SIGNED : WARPSCOPE_MAX_UNSIGNED)
        .Case("and", WARPSCOPE_AND)
        .Case("or", WARPSCOPE_OR)
        .Default(WARPSCOPE_XOR);
  }

  /// What replaces a call of a warp's or block's function (include/warpscope/warp.h); null:
  /// nothing.
  Value *hardware(IRBuilder<> &Builder, StringRef Name, CallInst &Call) {
    Value *None = Builder.getInt32(0);
    const auto Given = [&](unsigned Index) { return Call.getArgOperand(Index); };
    if (Name == "warp_sync")
      return exchange(Builder, WARPSCOPE_SYNC, Given(1), None, None);
    if (Name == "warp_lockstep")
      return exchange(Builder, WARPSCOPE_SYNC, None, None, None);
    if (Name == "warp_exchange")
      return exchange(Builder, WARPSCOPE_SHUFFLE, Given(2), Given(0), Given(1));
    if (Name == "warp_ballot")
      return exchange(Builder, WARPSCOPE_BALLOT, Given(1), Given(0), None);
    if (Name == "warp_match")
      return exchange(Builder, WARPSCOPE_MATCH, Given(1), Given(0), None);
    if (Name.startswith("warp__reduce"))
      return exchange(Builder, reductionOf(Name), Given(1), Given(0), None);
    if (Name == "barrier_count")
      return callTable(Builder, BarrierCountCall, Builder.getInt32Ty(), {Given(0)});
    if (Name == "grid_barrier") {
      Result.HasGridBarrier = true;
      return callTable(Builder, GridBarrierCall, Builder.getVoidTy(), {});
    }
    return nullptr;
  }

  Value *replacement(IRBuilder<> &Builder, CallInst &Call) {
    Function *Callee = Call.getCalledFunction();
    if (Optional<BuiltinName> Name = calledBuiltin(Call)) {
      if (Name->Base == "barrier" || Name->Base == "work_group_barrier")
        return callTable(Builder, BarrierCall, Builder.getVoidTy(), {});
      return Call.arg_size() == 1 ? workItemValue(Builder, Name->Base, Call.getArgOperand(0))
                                  : launchValue(Builder, Name->Base);
    }
    StringRef Name = Callee->getName();
    if (Name == "printf")
      return print(Builder, Call);
    return Name.consume_front(HardwarePrefix) ? hardware(Builder, Name, Call) : nullptr;
  }

  void replaceCalls() {
    for (Instruction &I : make_early_inc_range(instructions(*Thread))) {
      auto *Call = dyn_cast<CallInst>(&I);
      if (!Call || !Call->getCalledFunction())
        continue;
      IRBuilder<> Builder(Call);
      Value *New = replacement(Builder, *Call);
      if (!New)
        continue;
      if (!Call->getType()->isVoidTy())
        Call->replaceAllUsesWith(Call->getType() == New->getType()
                                     ? New
                                     : Builder.CreateZExtOrTrunc(New, Call->getType()));
      Call->eraseFromParent();
    }
  }

  /// Whether another thread can have changed what this reads since it was read last.
  static bool isPoll(const Instruction &I) {
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
      return true;
    if (const auto *Load = dyn_cast<LoadInst>(&I))
      return Load->isVolatile() || Load->isAtomic();
    const auto *Call = dyn_cast<CallInst>(&I);
    Optional<BuiltinName> Name = Call ? calledBuiltin(*Call) : None;
    return Name && Name->Base.startswith("atom");
  }

  void insertPolls() {
    DominatorTree Tree(*Thread);
    LoopInfo Loops(Tree);
    for (Instruction &I : instructions(*Thread)) {
      if (!Loops.getLoopFor(I.getParent()) || !isPoll(I))
        continue;
      IRBuilder<> Builder(&I);
      callTable(Builder, PollCall, Builder.getVoidTy(), {});
    }
  }

  bool isUsed(const GlobalVariable &Variable) const {
    return any_of(Variable.users(), [&](const User *U) {
      const auto *I = dyn_cast<Instruction>(U);
      return I && I->getFunction() == Thread;
    });
  }

  void findLocals() {
    const DataLayout &Data = Kernel.getParent()->getDataLayout();
    SmallVector<Type *, 16> Fields{ArrayType::get(Type::getInt64Ty(context()), HeaderFields)};
    for (const Argument &A : Kernel.args())
      Result.Arguments.push_back(storedTypeOf(A));
    append_range(Fields, Result.Arguments);
    for (GlobalVariable &Variable : Kernel.getParent()->globals()) {
      if (Variable.getAddressSpace() != LocalSpace)
        continue;
      expandConstants(Variable);
      if (!isUsed(Variable))
        continue;
      Locals.push_back(&Variable);
      Result.Locals.push_back(Original.getParent()->getGlobalVariable(Variable.getName(), true));
      Fields.push_back(Variable.getType());
    }
    Result.Frame = StructType::get(context(), Fields, /*isPacked=*/true);
    for (const Instruction &I : instructions(*Thread))
      if (const auto *Alloca = dyn_cast<AllocaInst>(&I))
        Result.StackBytes += Alloca->getAllocationSizeInBits(Data).value_or(TypeSize::Fixed(0)) / 8;
  }

  void loadFrame() {
    IRBuilder<> Builder(&*Thread->getEntryBlock().getFirstInsertionPt());
    for (Argument &A : Kernel.args()) {
      Type *Stored = storedTypeOf(A);
      Value *Where = field(Builder, 1 + A.getArgNo());
      if (!A.hasByValAttr()) {
        A.replaceAllUsesWith(Builder.CreateAlignedLoad(Stored, Where, Align(1), A.getName()));
        continue;
      }
      // A thread may change its own copy.
      AllocaInst *Copy = Builder.CreateAlloca(Stored, nullptr, A.getName());
      Copy->setAlignment(A.getParamAlign().valueOrOne());
      Builder.CreateMemCpy(Copy, Copy->getAlign(), Where, Align(1),
                           Kernel.getParent()->getDataLayout().getTypeAllocSize(Stored));
      A.replaceAllUsesWith(Copy);
    }
    for (size_t I = 0; I < Locals.size(); ++I) {
      Value *Address = Builder.CreateAlignedLoad(Locals[I]->getType(),
                                                 field(Builder, Result.localField(I)), Align(1));
      Locals[I]->replaceUsesWithIf(Address, [&](Use &U) {
        auto *User = dyn_cast<Instruction>(U.getUser());
        return User && User->getFunction() == Thread;
      });
    }
  }

  Function &Kernel;
  Function &Original;
  Function *Thread = nullptr;
  Value *Self = nullptr;
  ThreadLayout Result;
  SmallVector<GlobalVariable *, 4> Locals;
};

bool runsAsThreads(const Function &F) {
  return !F.isDeclaration() && F.getCallingConv() == CallingConv::SPIR_KERNEL &&
         F.hasFnAttribute(ThreadsAttribute);
}

void writeModule(const Module &M, const std::string &Path) {
  std::error_code Error;
  raw_fd_ostream Out(Path, Error, sys::fs::OF_None);
  if (!Error)
    WriteBitcodeToFile(M, Out);
  Out.close();
  if (Error || Out.has_error())
    report_fatal_error(Twine(Path) + ": cannot write: " + (Error ? Error : Out.error()).message(),
                       false);
}

} // namespace

bool moveKernelsToThreads(Module &M, const std::string &Path) {
  if (none_of(M, runsAsThreads))
    return false;
  std::unique_ptr<Module> Code = CloneModule(M);
  SmallVector<std::pair<std::string, ThreadLayout>, 4> Kernels;
  SmallVector<Function *, 4> Others;
  for (Function &F : make_early_inc_range(*Code)) {
    if (runsAsThreads(F)) {
      std::string Name = F.getName().str(); // the kernel goes
      Kernels.emplace_back(Name, ThreadMaker(F, *M.getFunction(Name)).run());
    } else if (!F.isDeclaration() && F.getCallingConv() == CallingConv::SPIR_KERNEL) {
      Others.push_back(&F);
    } else if (!F.isDeclaration() && !F.getName().endswith(ThreadSuffix)) {
      F.setLinkage(GlobalValue::InternalLinkage);
    }
  }
  for (Function *F : Others)
    F->eraseFromParent();
  StripDebugInfo(*Code);
  Code->setTargetTriple(sys::getProcessTriple());
  Code->setDataLayout("");
  writeModule(*Code, Path);
  for (const auto &[Name, Fields] : Kernels)
    handToThreads(*M.getFunction(Name), Fields);
  return true;
}

} // namespace wspasses
