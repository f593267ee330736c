//===- ThreadStub.cpp - what PoCL runs of a kernel with threads ------------===//
#include "passes/RuntimeABI.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/threads/ThreadFrame.h"
#include "passes/threads/Threads.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace {

cl::opt<std::string> LibraryFile("warpscope-threads-library", cl::value_desc("file"),
                                 cl::desc("The library of threads that is put into the module"));

} // namespace

namespace wspasses {

namespace {

/// Stands for the library until it is there.
constexpr const char *CodeName = "__warpscope_threads_code";

/// What PoCL runs instead of the kernel.
class StubMaker {
public:
  StubMaker(Function &F, const ThreadLayout &Fields) : F(F), Fields(Fields), M(*F.getParent()) {}

  void run() {
    SmallVector<std::pair<unsigned, MDNode *>, 8> Metadata;
    F.getAllMetadata(Metadata);
    F.deleteBody();
    for (const auto &[Kind, Node] : Metadata)
      if (Kind != LLVMContext::MD_dbg)
        F.setMetadata(Kind, Node);
    for (Attribute::AttrKind Kind :
         {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ArgMemOnly})
      F.removeFnAttr(Kind);
    auto *Entry = BasicBlock::Create(F.getContext(), "entry", &F);
    auto *First = BasicBlock::Create(F.getContext(), "first", &F);
    auto *Done = BasicBlock::Create(F.getContext(), "done", &F);
    IRBuilder<> Builder(Entry);
    Frame = Builder.CreateAlloca(Fields.Frame);
    Value *Any = Builder.getInt64(0);
    for (unsigned D = 0; D < 3; ++D)
      Any = Builder.CreateOr(Any, query(Builder, "_Z12get_local_idj", D));
    Builder.CreateCondBr(Builder.CreateICmpEQ(Any, Builder.getInt64(0)), First, Done);
    Builder.SetInsertPoint(First);
    fillFrame(Builder);
    callRun(Builder);
    Builder.CreateBr(Done);
    Builder.SetInsertPoint(Done);
    Builder.CreateRetVoid();
  }

private:
  Value *query(IRBuilder<> &Builder, StringRef Mangled, unsigned Dimension) {
    auto *Signature = FunctionType::get(Builder.getInt64Ty(), {Builder.getInt32Ty()}, false);
    CallInst *Call = Builder.CreateCall(declareBuiltin(M, Mangled, Signature, /*ReadNone=*/true),
                                        {Builder.getInt32(Dimension)});
    Call->setCallingConv(CallingConv::SPIR_FUNC);
    return Call;
  }

  Value *dimensions(IRBuilder<> &Builder) {
    auto *Signature = FunctionType::get(Builder.getInt32Ty(), false);
    CallInst *Call = Builder.CreateCall(
        declareBuiltin(M, "_Z12get_work_dimv", Signature, /*ReadNone=*/true), {});
    Call->setCallingConv(CallingConv::SPIR_FUNC);
    return Builder.CreateZExt(Call, Builder.getInt64Ty());
  }

  Value *field(IRBuilder<> &Builder, unsigned Index) {
    return Builder.CreateStructGEP(Fields.Frame, Frame, Index);
  }

  void fillFrame(IRBuilder<> &Builder) {
    unsigned Next = 0;
    const auto Fill = [&](Value *Number) {
      Value *Where = Builder.CreateConstInBoundsGEP2_64(Fields.Frame->getElementType(0),
                                                        field(Builder, 0), 0, Next++);
      Builder.CreateAlignedStore(Number, Where, Align(1));
    };
    for (const char *Name : {"_Z12get_group_idj", "_Z14get_num_groupsj", "_Z14get_local_sizej",
                             "_Z17get_global_offsetj"})
      for (unsigned D = 0; D < 3; ++D)
        Fill(query(Builder, Name, D));
    Fill(dimensions(Builder));
    for (Argument &A : F.args()) {
      Value *Where = field(Builder, 1 + A.getArgNo());
      if (A.hasByValAttr())
        Builder.CreateMemCpy(Where, Align(1), &A, A.getParamAlign().valueOrOne(),
                             M.getDataLayout().getTypeAllocSize(storedTypeOf(A)));
      else
        Builder.CreateAlignedStore(&A, Where, Align(1));
    }
    for (size_t I = 0; I < Fields.Locals.size(); ++I)
      Builder.CreateAlignedStore(Fields.Locals[I], field(Builder, Fields.localField(I)), Align(1));
  }

  Constant *constant(Constant *Initial, const Twine &Suffix) {
    auto *Variable = new GlobalVariable(M, Initial->getType(), /*isConstant=*/true,
                                        GlobalValue::InternalLinkage, Initial, F.getName() + Suffix,
                                        nullptr, GlobalValue::NotThreadLocal, ConstantSpace);
    Variable->setAlignment(Align(8));
    return ConstantExpr::getPtrToInt(Variable, Type::getInt64Ty(F.getContext()));
  }

  /// A WarpscopeThreadKernelV1 with its locals.
  Constant *description() {
    const DataLayout &Data = M.getDataLayout();
    const StructLayout *Offsets = Data.getStructLayout(Fields.Frame);
    SmallVector<uint64_t, 8> Locals;
    for (const Argument &A : F.args())
      if (auto *Pointer = dyn_cast<PointerType>(A.getType());
          Pointer && Pointer->getAddressSpace() == LocalSpace)
        Locals.append({Offsets->getElementOffset(1 + A.getArgNo()), 0});
    for (size_t I = 0; I < Fields.Locals.size(); ++I)
      Locals.append({Offsets->getElementOffset(Fields.localField(I)),
                     Data.getTypeAllocSize(Fields.Locals[I]->getValueType())});
    SmallVector<uint64_t, 16> Words{Data.getTypeAllocSize(Fields.Frame), Fields.StackBytes,
                                    Fields.HasGridBarrier, Locals.size() / 2};
    append_range(Words, Locals);
    return constant(ConstantDataArray::get(F.getContext(), Words), ".threads");
  }

  void callRun(IRBuilder<> &Builder) {
    Type *Long = Builder.getInt64Ty();
    auto *Signature = FunctionType::get(Builder.getVoidTy(), {Long, Long, Long, Long}, false);
    auto *TableType = ArrayType::get(Builder.getInt8PtrTy(), 1);
    auto *Table = M.getGlobalVariable(WARPSCOPE_THREADS_SYMBOL);
    if (!Table)
      Table =
          new GlobalVariable(M, TableType, /*isConstant=*/false, GlobalValue::ExternalWeakLinkage,
                             nullptr, WARPSCOPE_THREADS_SYMBOL);
    Constant *Code = M.getOrInsertGlobal(CodeName, Builder.getInt8Ty(), [&] {
      return new GlobalVariable(M, Builder.getInt8Ty(), /*isConstant=*/true,
                                GlobalValue::ExternalLinkage, nullptr, CodeName, nullptr,
                                GlobalValue::NotThreadLocal, ConstantSpace);
    });
    Constant *Symbol =
        constant(ConstantDataArray::getString(F.getContext(), (F.getName() + ThreadSuffix).str()),
                 ".thread");
    Value *Address = Builder.CreateConstInBoundsGEP2_64(TableType, Table, 0, 0);
    Value *Target = Builder.CreateLoad(Builder.getInt8PtrTy(), Address);
    Builder.CreateCall(Signature, Builder.CreateBitCast(Target, Signature->getPointerTo()),
                       {ConstantExpr::getPtrToInt(Code, Long), Symbol, description(),
                        Builder.CreatePtrToInt(Frame, Long)});
  }

  Function &F;
  const ThreadLayout &Fields;
  Module &M;
  Value *Frame = nullptr;
};

} // namespace

void handToThreads(Function &Kernel, const ThreadLayout &Fields) {
  StubMaker(Kernel, Fields).run();
}

PreservedAnalyses EmbedThreadsPass::run(Module &M, ModuleAnalysisManager &) {
  GlobalVariable *Placeholder = M.getGlobalVariable(CodeName);
  if (!Placeholder || !Placeholder->isDeclaration())
    return PreservedAnalyses::all();
  ErrorOr<std::unique_ptr<MemoryBuffer>> Library = MemoryBuffer::getFile(LibraryFile);
  if (!Library)
    report_fatal_error(Twine(LibraryFile) + ": cannot read: " + Library.getError().message(),
                       false);
  StringRef Bytes = (*Library)->getBuffer();
  LLVMContext &Context = M.getContext();
  Constant *Header =
      ConstantDataArray::get(Context, ArrayRef<uint64_t>{Bytes.size(), xxHash64(Bytes)});
  Constant *Initial =
      ConstantStruct::getAnon({Header, ConstantDataArray::getString(Context, Bytes, false)});
  auto *Code = new GlobalVariable(M, Initial->getType(), /*isConstant=*/true,
                                  GlobalValue::InternalLinkage, Initial, "threads_code", nullptr,
                                  GlobalValue::NotThreadLocal, ConstantSpace);
  Code->setAlignment(Align(8));
  Placeholder->replaceAllUsesWith(ConstantExpr::getBitCast(Code, Placeholder->getType()));
  Placeholder->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace wspasses
