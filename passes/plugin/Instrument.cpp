//===- Instrument.cpp -------------------------------------------------------===//
#include "passes/plugin/Instrument.h"
#include "passes/plugin/Assertions.h"
#include "passes/plugin/DeviceCalls.h"
#include "passes/plugin/Traps.h"

#include "passes/RuntimeABI.h"
#include "passes/StackABI.h"
#include "passes/cuda/CudaArithmetic.h"
#include "passes/cuda/CudaToSpir.h"
#include "passes/describe/Describe.h"
#include "passes/describe/KernelFile.h"
#include "passes/lower/PlainIntegers.h"
#include "passes/lower/SourceLines.h"
#include "passes/record/AddressesOnly.h"
#include "passes/record/Boxes.h"
#include "passes/record/RuntimeCalls.h"
#include "passes/recursion/Recursion.h"
#include "passes/threads/Threads.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

cl::opt<std::string> KernelInfoFile("warpscope-kernel-info", cl::value_desc("file"),
                                    cl::desc("Write the descriptions of all kernels (JSON)"));
cl::opt<std::string>
    OptimisedFile("warpscope-optimised-bitcode", cl::value_desc("file"),
                  cl::desc("Write the module as it is before the calls are inserted"));
cl::opt<std::string>
    RunnableFile("warpscope-runnable-bitcode", cl::value_desc("file"),
                 cl::desc("Write the same for PoCL to run, if kernels need threads with stacks "
                          "of their own; the other file has them as they were"));
cl::list<std::string>
    Spaces("warpscope-spaces", cl::CommaSeparated, cl::value_desc("space,…"),
           cl::desc("Record only these: private, global, constant, local, generic"));
cl::opt<std::string> OnlyKernel("warpscope-only-kernel", cl::value_desc("name"),
                                cl::desc("Instrument only this kernel"));
cl::opt<std::string>
    ThreadsPrefix("warpscope-threads-prefix", cl::value_desc("path"),
                  cl::desc("Kernels that need threads with stacks of their own: write these "
                           "to PATHoptimised.bc and PATHinstrumented.bc"));
cl::opt<bool> NoBranches("warpscope-no-branches", cl::desc("Do not record branches"));
cl::opt<bool> NoSync("warpscope-no-sync", cl::desc("Do not record barriers and fences"));
cl::opt<bool> NoObjects("warpscope-no-objects", cl::desc("Do not report where objects live"));
cl::opt<bool> Boxes("warpscope-boxes",
                    cl::desc("Record kernels whose addresses need no memory in boxes of "
                             "work-items, before they run"));
cl::opt<bool>
    AddressesOnly("warpscope-addresses-only",
                  cl::desc("Leave nothing but the addresses of kernels whose addresses need "
                           "no memory: they compute nothing"));
cl::opt<bool> Report("warpscope-report",
                     cl::desc("Print how many instructions were skipped, and why"));

} // namespace

namespace wspasses {

namespace {

[[noreturn]] void fail(const Twine &Message) {
  report_fatal_error(Message, /*GenCrashDiag=*/false);
}

/// A driver loads no kernel whose threads need more than a GPU has for each.
void refuseLargeArrays(const Function &Kernel) {
  const DataLayout &Layout = Kernel.getParent()->getDataLayout();
  uint64_t Bytes = 0;
  for (const Instruction &I : instructions(Kernel))
    if (const auto *Array = dyn_cast<AllocaInst>(&I); Array && Array->isStaticAlloca())
      if (const Optional<TypeSize> Bits = Array->getAllocationSizeInBits(Layout))
        Bytes += Bits->getFixedSize() / 8;
  if (Bytes > WARPSCOPE_MOST_STACK_BYTES)
    fail("kernel '" + Kernel.getName() + "': " + Twine(Bytes) +
         " bytes of private arrays per work-item, expected at most " +
         Twine(WARPSCOPE_MOST_STACK_BYTES) + ", the local memory of a GPU's thread");
}

unsigned spaceMask() {
  static constexpr const char *Names[] = {"private", "global", "constant", "local", "generic"};
  if (Spaces.empty())
    return ~0u;
  unsigned Mask = 0;
  for (const std::string &Name : Spaces) {
    const auto *Found = find(Names, Name);
    if (Found == std::end(Names))
      fail("-warpscope-spaces: '" + Name +
           "' is unknown, expected private, global, constant, local or generic");
    Mask |= 1u << (Found - std::begin(Names));
  }
  return Mask;
}

class KernelInstrumenter {
public:
  KernelInstrumenter(Function &F, const KernelPlan &Plan, const RuntimeCalls &Calls)
      : F(F), Plan(Plan), Calls(Calls) {}

  void run() {
    forgetInferredAttributes();
    if (Boxes && instrumentBoxes(F, Plan, Calls, !NoObjects, !NoBranches, AddressesOnly))
      return;
    const Optional<MemoryWork> Work =
        AddressesOnly ? findMemoryWork(F, Plan) : Optional<MemoryWork>();
    instrumentEntry(/*IsKnown=*/!AddressesOnly || Work);
    for (size_t Id = 0; Id < Plan.Sites.size(); ++Id)
      instrumentSite(Plan.Sites[Id], Id);
    for (BasicBlock *Block : Plan.Blocks)
      instrumentTerminator(*Block->getTerminator());
    if (Work)
      erase(*Work);
  }

private:
  /// What the optimiser concluded about the kernel no longer holds once it calls the runtime.
  void forgetInferredAttributes() {
    for (Attribute::AttrKind Kind :
         {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ArgMemOnly,
          Attribute::InaccessibleMemOnly, Attribute::InaccessibleMemOrArgMemOnly, Attribute::NoSync,
          Attribute::NoFree, Attribute::Speculatable, Attribute::NoRecurse})
      F.removeFnAttr(Kind);
    for (Argument &Argument : F.args())
      Argument.removeAttr(Attribute::NoCapture);
  }

  /// Without `IsKnown`, what the kernel accesses depends on memory, and it begins as no work-item.
  void instrumentEntry(bool IsKnown) {
    BasicBlock &Entry = F.getEntryBlock();
    auto Position = Entry.begin();
    while (isa<AllocaInst>(Position))
      ++Position;
    IRBuilder<> Builder(&Entry, Position);
    Value *Id[3], *Group[3];
    for (unsigned D = 0; D < 3; ++D) {
      Id[D] = queryWorkItem(Builder, "_Z12get_local_idj", D);
      Group[D] = queryWorkItem(Builder, "_Z12get_group_idj", D);
    }
    Value *Width = queryWorkItem(Builder, "_Z14get_local_sizej", 0);
    Value *Height = queryWorkItem(Builder, "_Z14get_local_sizej", 1);
    Value *Row = Builder.CreateAdd(Id[1], Builder.CreateMul(Height, Id[2]));
    Value *Rest = Builder.CreateMul(Width, Row);
    Item =
        Builder.CreateTrunc(Builder.CreateAdd(Id[0], Rest), Builder.getInt32Ty(), "warpscope.item");
    Value *const First = IsKnown ? Item : Builder.getInt32(WARPSCOPE_ALL_ITEMS);
    Calls.call(Builder, BeginSlot, {First, Group[0], Group[1], Group[2]});
    if (!NoObjects)
      reportObjects(Builder);
  }

  void reportObject(IRBuilder<> &Builder, unsigned Kind, unsigned Index, Value *Pointer) const {
    Calls.call(Builder, ObjectSlot,
               {Builder.getInt32(Kind), Builder.getInt32(Index),
                Builder.CreatePtrToInt(Pointer, Builder.getInt64Ty()), Item});
  }

  void reportObjects(IRBuilder<> &AtEntry) const {
    for (Argument &Argument : F.args())
      if (Plan.Info.arguments[Argument.getArgNo()].is_pointer)
        reportObject(AtEntry, 0, Argument.getArgNo(), &Argument);
    for (size_t Index = 0; Index < Plan.Objects.size(); ++Index)
      if (isStack(*Plan.Objects[Index])) {
        IRBuilder<> Behind(cast<Instruction>(Plan.Objects[Index])->getNextNode());
        reportObject(Behind, 1, Index, Plan.Objects[Index]);
      } else {
        reportObject(AtEntry, 1, Index, Plan.Objects[Index]);
      }
  }

  void instrumentSite(const Site &Found, unsigned Id) const {
    IRBuilder<> Builder(Found.Inst);
    if (!Found.Address) {
      Calls.call(Builder, SyncSlot, {Builder.getInt32(Id), Item});
      return;
    }
    Value *Address = Builder.CreatePtrToInt(Found.Address, Builder.getInt64Ty());
    Calls.call(Builder, AccessSlot, {Address, Builder.getInt32(Id), Item});
  }

  void instrumentTerminator(Instruction &Terminator) const {
    IRBuilder<> Builder(&Terminator);
    if (isa<ReturnInst>(Terminator)) {
      Calls.call(Builder, EndSlot, {Item});
      return;
    }
    const unsigned Successors = Terminator.getNumSuccessors();
    if (Successors < 2 || NoBranches)
      return;
    Calls.call(Builder, BranchSlot,
               {outcomeOf(Builder, Terminator),
                Builder.getInt32(warpscope::outcome_bits(Successors)), Item});
  }

  Function &F;
  const KernelPlan &Plan;
  const RuntimeCalls &Calls;
  Value *Item = nullptr;
};

/// Removes what is no instruction on any machine, and brings the allocas together at the entry.
void normalise(Function &F) {
  removeUnreachableBlocks(F);
  Instruction *Front = &*F.getEntryBlock().getFirstInsertionPt();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (I.isDebugOrPseudoInst() || I.isLifetimeStartOrEnd() || isa<AssumeInst>(I) ||
        isa<NoAliasScopeDeclInst>(I))
      I.eraseFromParent();
  }
  Front = &*F.getEntryBlock().getFirstInsertionPt();
  for (Instruction &I : make_early_inc_range(F.getEntryBlock()))
    if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && Alloca->isStaticAlloca()) {
      if (Alloca == Front)
        Front = Front->getNextNode();
      else
        Alloca->moveBefore(Front);
    }
}

void writeBitcode(const Module &M, const std::string &File) {
  std::error_code Error;
  raw_fd_ostream Out(File, Error, sys::fs::OF_None);
  if (!Error)
    WriteBitcodeToFile(M, Out);
  Out.close();
  if (Error || Out.has_error())
    fail(File + ": cannot write: " + (Error ? Error : Out.error()).message());
}

bool isCuda(const Module &M) {
  return any_of(M, [](const Function &F) { return F.hasFnAttribute(DisplayNameAttribute); });
}

void writeOptimised(const Module &M) {
  std::unique_ptr<Module> Copy = CloneModule(M);
  stripSourceLines(*Copy);
  expandIntegerIntrinsics(*Copy);
  dropImpossibleCalls(*Copy);
  if (!RunnableFile.empty()) {
    std::unique_ptr<Module> Portable = CloneModule(*Copy);
    raiseTraps(*Portable);
    for (Function &F : *Portable)
      if (F.hasFnAttribute(ThreadsAttribute)) // others run it without stacks for its threads
        forgetSteps(F);
    callDeviceTable(*Portable);
    writeBitcode(*Portable, OptimisedFile);
  }
  if (isCuda(*Copy))
    defineDivisions(*Copy);
  returnAtAssertions(*Copy, nullptr);
  callDeviceTable(*Copy);
  const bool Moved =
      !ThreadsPrefix.empty() && moveKernelsToThreads(*Copy, ThreadsPrefix + "optimised.bc");
  if (RunnableFile.empty() || Moved)
    writeBitcode(*Copy, RunnableFile.empty() ? OptimisedFile : RunnableFile);
}

void printReport(StringRef Kernel, const KernelPlan &Plan) {
  errs() << "warpscope: " << Kernel;
  for (unsigned Reason = 0; Reason < NumSkipReasons; ++Reason)
    errs() << (Reason ? ", " : ": ") << Plan.Skipped[Reason] << " "
           << nameOf(static_cast<SkipReason>(Reason));
  errs() << "\n";
}

} // namespace

PreservedAnalyses InstrumentPass::run(Module &M, ModuleAnalysisManager &AM) {
  auto &Functions = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  SmallVector<Function *, 8> Kernels;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() == CallingConv::SPIR_KERNEL) {
      normalise(F);
      refuseLargeArrays(F);
      Functions.invalidate(F, PreservedAnalyses::none());
      Kernels.push_back(&F);
    }
  nameTraps(M);
  if (!OptimisedFile.empty())
    writeOptimised(M);
  const SiteOptions Options{spaceMask(), !NoSync};
  std::vector<KernelPlan> Plans;
  std::vector<warpscope::KernelInfo> Infos;
  for (Function *F : Kernels) {
    Plans.push_back(describeKernel(*F, Functions, Options));
    Infos.push_back(Plans.back().Info);
    if (Report)
      printReport(F->getName(), Plans.back());
  }
  if (!KernelInfoFile.empty())
    if (std::string Error = writeKernelFile(KernelInfoFile, Infos); !Error.empty())
      fail(Error);
  dropImpossibleCalls(M);
  const RuntimeCalls Calls(M);
  for (size_t I = 0; I < Kernels.size(); ++I)
    if (OnlyKernel.empty() || Kernels[I]->getName() == OnlyKernel)
      KernelInstrumenter(*Kernels[I], Plans[I], Calls).run();
  if (isCuda(M))
    defineDivisions(M);
  returnAtAssertions(M, &Calls);
  stripSourceLines(M);
  callDeviceTable(M);
  if (!ThreadsPrefix.empty())
    moveKernelsToThreads(M, ThreadsPrefix + "instrumented.bc");
  return PreservedAnalyses::none();
}

} // namespace wspasses
