//===- CudaKernels.cpp - a CUDA kernel as an OpenCL kernel ------------------===//
#include "passes/cuda/CudaParameters.h"
#include "passes/cuda/CudaToSpir.h"
#include "passes/cuda/CudaVariables.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/lower/SourceLines.h"
#include "passes/recursion/Recursion.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace wspasses {

namespace {

/// An argument of the kernel that will be.
struct Parameter {
  std::string Name;
  ParameterType Of;
  StringRef Kind; ///< see toJson()
  unsigned Space = PrivateSpace;
  uint64_t FixedBytes = 0; ///< size of a variable that became an argument
  // Where a launch in C++ has it: a part of one of the kernel's own parameters,
  Optional<unsigned> Original;
  uint64_t Offset = 0, PassedBytes = 0;
  // or a variable: its mangled name, and its initial value.
  std::string Variable;
  Optional<std::string> Initial;
};

/// Turns one kernel into its OpenCL form.
class KernelLowering {
public:
  KernelLowering(Function *F, std::string Display, StringRef Symbol, std::string Mangled)
      : F(F), M(*F->getParent()), Display(std::move(Display)), Symbol(Symbol),
        Mangled(std::move(Mangled)) {}

  json::Object lower() {
    describeParameters();
    for (GlobalVariable *G : variablesUsedBy(*F))
      sortVariable(*G);
    rebuild();
    copyChangedParameters(*F);
    F->setName(Symbol);
    F->addFnAttr(DisplayNameAttribute, Display);
    for (size_t I = 0; I < Dynamic.size(); ++I)
      replaceIn(*F, *Dynamic[I], castTo(*Dynamic[I], F->getArg(DynamicIndex)));
    for (size_t I = 0; I < Outside.size(); ++I)
      replaceIn(*F, *Outside[I], castTo(*Outside[I], F->getArg(FirstOutside + I)));
    for (GlobalVariable *G : Shared)
      replaceIn(*F, *G, ownCopy(*G));
    giveStacks(*F, Display);
    attachMetadata();
    return signature();
  }

private:
  void describeParameters() {
    const DISubprogram *Subprogram = F->getSubprogram();
    const DITypeRefArray Types =
        Subprogram ? Subprogram->getType()->getTypeArray() : DITypeRefArray();
    const bool Fits = Types && Types.size() == F->arg_size() + 1;
    for (Argument &A : F->args()) {
      const DIType *Described = Fits ? Types[A.getArgNo() + 1] : nullptr;
      FirstParameter.push_back(Parameters.size());
      Fields.emplace_back();
      if (A.hasByValAttr() && parameterType(Described).IsStruct)
        Fields.back() =
            flattenStruct(Described, argumentName(A), A.getParamByValType(), M.getDataLayout());
      if (!Fields.back()) {
        Type *Passed = A.hasByValAttr() ? A.getParamByValType() : asArgument(A.getType());
        addParameter(argumentName(A), Described, A.getArgNo(), 0, Passed);
        continue;
      }
      for (const FlatField &Field : *Fields.back())
        addParameter(Field.Name, Field.Type, A.getArgNo(), Field.Offset,
                     asArgument(Field.InMemory));
    }
  }

  /// `Original`: the parameter in the source; `Offset`: bytes from its beginning.
  void addParameter(std::string Name, const DIType *Type, unsigned Original, uint64_t Offset,
                    llvm::Type *Passed) {
    Parameter P;
    P.Original = Original;
    P.Offset = Offset;
    P.PassedBytes = M.getDataLayout().getTypeAllocSize(Passed);
    P.Name = std::move(Name);
    P.Of = parameterType(Type);
    P.Kind = P.Of.IsPointer ? "buffer" : P.Of.IsStruct ? "struct" : "value";
    P.Space = P.Of.IsPointer ? GlobalSpace : PrivateSpace;
    Parameters.push_back(std::move(P));
  }

  /// Clang calls a pointer argument whose address space it changed "name.coerce".
  static std::string argumentName(const Argument &A) {
    StringRef Name = A.getName();
    Name.consume_back(".coerce");
    return Name.empty() ? "argument" + std::to_string(A.getArgNo()) : Name.str();
  }

  void sortVariable(GlobalVariable &G) {
    switch (roleOf(G)) {
    case VariableRole::Shared:
      Shared.push_back(&G);
      break;
    case VariableRole::DynamicShared:
      Dynamic.push_back(&G);
      break;
    case VariableRole::Argument:
      Outside.push_back(&G);
      break;
    case VariableRole::Constant:
    case VariableRole::Stays:
      break;
    }
  }

  std::string freeName(std::string Name) const {
    while (any_of(Parameters, [&](const Parameter &P) { return P.Name == Name; }))
      Name += "_";
    return Name;
  }

  static unsigned spaceOf(const GlobalVariable &G) {
    if (G.getAddressSpace() == LocalSpace)
      return LocalSpace;
    return isInConstantMemory(G) ? ConstantSpace : GlobalSpace;
  }

  void addParameter(const GlobalVariable &G, StringRef Kind) {
    Parameter P;
    P.Name = freeName(sourceNameOf(G));
    P.Of = typeAsParameter(G);
    P.Kind = Kind;
    P.Space = spaceOf(G);
    if (Kind == "buffer") {
      P.FixedBytes = M.getDataLayout().getTypeAllocSize(G.getValueType());
      P.Variable = nameOnHost(G.getName());
      P.Initial = initialBytes(G);
    }
    Parameters.push_back(std::move(P));
  }

  static bool pointsToFunction(const Type *T) {
    return T->isPointerTy() && T->getNonOpaquePointerElementType()->isFunctionTy();
  }

  /// OpenCL has no bool arguments: the host passes a byte. Buffers are global memory. Functions are
  /// numbers (CudaCalls.cpp).
  Type *asArgument(Type *T) const {
    if (pointsToFunction(T))
      return Type::getInt64Ty(M.getContext());
    if (T->isIntegerTy(1))
      return Type::getInt8Ty(M.getContext());
    if (auto *Pointer = dyn_cast<PointerType>(T);
        Pointer && Pointer->getAddressSpace() == GenericSpace)
      return PointerType::getWithSamePointeeType(Pointer, GlobalSpace);
    return T;
  }

  /// The function again, with other arguments. All extern __shared__ arrays are the same memory.
  void rebuild() {
    SmallVector<Type *, 8> Types;
    SmallVector<AttributeSet, 8> Attributes;
    for (const Argument &A : F->args()) {
      if (const auto &Flat = Fields[A.getArgNo()]) {
        for (const FlatField &Field : *Flat)
          Types.push_back(asArgument(Field.InMemory));
        continue;
      }
      Types.push_back(asArgument(A.getType()));
      Attributes.resize(Types.size() - 1);
      Attributes.push_back(F->getAttributes().getParamAttrs(A.getArgNo()));
    }
    DynamicIndex = Types.size();
    if (!Dynamic.empty()) {
      addParameter(*Dynamic.front(), "local");
      Types.push_back(elementTypeOf(*Dynamic.front())->getPointerTo(LocalSpace));
    }
    FirstOutside = Types.size();
    for (GlobalVariable *G : Outside) {
      addParameter(*G, "buffer");
      Types.push_back(elementTypeOf(*G)->getPointerTo(spaceOf(*G)));
    }
    Function *New = Function::Create(FunctionType::get(F->getReturnType(), Types, false),
                                     F->getLinkage(), "", &M);
    New->copyAttributesFrom(F);
    const AttributeList Old = F->getAttributes();
    New->setAttributes(
        AttributeList::get(M.getContext(), Old.getFnAttrs(), Old.getRetAttrs(), Attributes));
    New->copyMetadata(F, 0);
    F->setSubprogram(nullptr);
    New->getBasicBlockList().splice(New->begin(), F->getBasicBlockList());
    for (Argument &A : F->args())
      takeOver(A, *New);
    for (Argument &A : New->args())
      A.setName(Parameters[A.getArgNo()].Name);
    if (!F->use_empty())
      F->replaceAllUsesWith(ConstantExpr::getBitCast(New, F->getType()));
    F->eraseFromParent();
    F = New;
    alignVariables();
  }

  void takeOver(Argument &Old, Function &New) const {
    const unsigned First = FirstParameter[Old.getArgNo()];
    IRBuilder<> Builder(&*New.getEntryBlock().getFirstInsertionPt());
    if (Fields[Old.getArgNo()])
      Old.replaceAllUsesWith(gather(Old, New, First, Builder));
    else if (Old.getType()->isIntegerTy(1))
      Old.replaceAllUsesWith(Builder.CreateTrunc(New.getArg(First), Old.getType()));
    else if (pointsToFunction(Old.getType()))
      Old.replaceAllUsesWith(Builder.CreateIntToPtr(New.getArg(First), Old.getType()));
    else
      Old.replaceAllUsesWith(New.getArg(First));
  }

  /// The struct again from its members, each an argument; the optimiser takes it apart.
  Value *gather(const Argument &Old, Function &New, unsigned First, IRBuilder<> &Builder) const {
    AllocaInst *Struct = Builder.CreateAlloca(Old.getParamByValType());
    Struct->setAlignment(Old.getParamAlign().valueOrOne());
    Value *Bytes = Builder.CreateBitCast(Struct, Builder.getInt8PtrTy());
    for (const FlatField &Field : *Fields[Old.getArgNo()]) {
      Value *Place = Builder.CreateConstInBoundsGEP1_64(Builder.getInt8Ty(), Bytes, Field.Offset);
      Value *Member = New.getArg(First++);
      if (pointsToFunction(Field.InMemory))
        Member = Builder.CreateIntToPtr(Member, Field.InMemory);
      else if (Field.InMemory->isPointerTy())
        Member = Builder.CreateAddrSpaceCast(Member, Field.InMemory);
      Builder.CreateStore(Member, Builder.CreateBitCast(Place, Field.InMemory->getPointerTo()));
    }
    return Struct;
  }

  void alignVariables() {
    auto SetAlign = [&](unsigned Index, const GlobalVariable &G) {
      if (G.getAlign())
        F->addParamAttr(Index, Attribute::getWithAlignment(M.getContext(), *G.getAlign()));
    };
    if (!Dynamic.empty())
      SetAlign(DynamicIndex, *Dynamic.front());
    for (size_t I = 0; I < Outside.size(); ++I)
      SetAlign(FirstOutside + I, *Outside[I]);
  }

  Value *castTo(const GlobalVariable &G, Argument *A) const {
    IRBuilder<> Builder(&*F->getEntryBlock().getFirstInsertionPt());
    return Builder.CreateBitCast(
        A, G.getValueType()->getPointerTo(A->getType()->getPointerAddressSpace()));
  }

  /// A local variable is the kernel's whose name it begins with (PoCL's rule).
  GlobalVariable *ownCopy(const GlobalVariable &G) const {
    auto *Copy =
        new GlobalVariable(M, G.getValueType(), /*isConstant=*/false, GlobalValue::InternalLinkage,
                           UndefValue::get(G.getValueType()), Twine(Symbol) + "." + sourceNameOf(G),
                           nullptr, GlobalVariable::NotThreadLocal, LocalSpace);
    Copy->setAlignment(G.getAlign());
    return Copy;
  }

  void attachMetadata() {
    LLVMContext &Context = M.getContext();
    SmallVector<Metadata *, 8> Spaces, Access, Types, Qualifiers, Names;
    for (const Parameter &P : Parameters) {
      const std::string Width = P.Of.VectorWidth > 1 ? std::to_string(P.Of.VectorWidth) : "";
      const std::string Type = P.Of.Element + Width + (P.Of.IsPointer ? "*" : "");
      std::string Words;
      for (auto [Is, Word] : {std::pair(P.Of.IsRestrict, "restrict"),
                              std::pair(P.Of.IsPointer && P.Of.IsConst, "const"),
                              std::pair(P.Of.IsPointer && P.Of.IsVolatile, "volatile")})
        if (Is)
          Words.append(Words.empty() ? "" : " ").append(Word);
      Spaces.push_back(
          ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), P.Space)));
      Access.push_back(MDString::get(Context, "none"));
      Types.push_back(MDString::get(Context, Type));
      Qualifiers.push_back(MDString::get(Context, Words));
      Names.push_back(MDString::get(Context, P.Name));
    }
    F->setMetadata("kernel_arg_addr_space", MDNode::get(Context, Spaces));
    F->setMetadata("kernel_arg_access_qual", MDNode::get(Context, Access));
    F->setMetadata("kernel_arg_type", MDNode::get(Context, Types));
    F->setMetadata("kernel_arg_base_type", MDNode::get(Context, Types));
    F->setMetadata("kernel_arg_type_qual", MDNode::get(Context, Qualifiers));
    F->setMetadata("kernel_arg_name", MDNode::get(Context, Names));
  }

  json::Object signature() const {
    json::Array List;
    for (const Parameter &P : Parameters) {
      json::Object One = toJson(P.Of, P.Name, P.Kind, P.Space);
      if (P.FixedBytes)
        One["fixed_bytes"] = P.FixedBytes;
      if (P.Original) {
        One["argument"] = *P.Original;
        One["offset"] = P.Offset;
        One["passed_bytes"] = P.PassedBytes;
      }
      if (!P.Variable.empty())
        One["variable"] = P.Variable;
      if (P.Initial)
        One["initial"] = toHex(*P.Initial, /*LowerCase=*/true);
      List.push_back(std::move(One));
    }
    const DISubprogram *Subprogram = F->getSubprogram();
    json::Object Result{{"name", Display},
                        {"symbol", Symbol},
                        {"mangled", Mangled},
                        {"line", Subprogram ? Subprogram->getLine() : 0},
                        {"parameters", std::move(List)},
                        {"reqd_work_group_size", nullptr}};
    if (allocates())
      Result["allocates"] = true;
    return Result;
  }

  /// Whether the kernel calls malloc().
  bool allocates() const {
    return any_of(instructions(*F), [](const Instruction &I) {
      const auto *Call = dyn_cast<CallInst>(&I);
      return Call && Call->getCalledFunction() &&
             Call->getCalledFunction()->getName() == AllocateFunction;
    });
  }

  Function *F;
  Module &M;
  std::string Display;
  std::string Symbol;
  std::string Mangled; ///< name on the host
  std::vector<Parameter> Parameters;
  std::vector<Optional<std::vector<FlatField>>> Fields; ///< one per original argument
  std::vector<unsigned> FirstParameter;                 ///< one per original argument
  SmallVector<GlobalVariable *, 4> Shared, Dynamic, Outside;
  unsigned DynamicIndex = 0, FirstOutside = 0;
};

/// "space::saxpy<float>", as debug information has it.
std::string displayName(const Function &F) {
  const DISubprogram *Subprogram = F.getSubprogram();
  if (!Subprogram)
    return F.getName().str();
  std::string Name = Subprogram->getName().str();
  for (const DIScope *Scope = Subprogram->getScope(); Scope; Scope = Scope->getScope())
    if (isa<DINamespace>(Scope) && !Scope->getName().empty())
      Name = (Scope->getName() + "::" + Name).str();
  return withoutDirectories(Name);
}

std::string parameterList(const Function &F) {
  std::string List;
  if (const DISubprogram *Subprogram = F.getSubprogram()) {
    const DITypeRefArray Types = Subprogram->getType()->getTypeArray();
    for (unsigned I = 1; I < Types.size(); ++I)
      List += (I > 1 ? ", " : "") + parameterType(Types[I]).Text;
  }
  return "(" + List + ")";
}

/// What each kernel is called in front of users: the source's name; with parameters if there are
/// overloads, with the file if several linked files have the same one of their own.
std::vector<std::string> displayNames(ArrayRef<Function *> Kernels) {
  std::vector<std::string> Names;
  for (const Function *F : Kernels)
    Names.push_back(displayName(*F));
  auto AddToTwins = [&](function_ref<std::string(const Function &)> Addition) {
    StringMap<unsigned> Count;
    for (const std::string &Name : Names)
      ++Count[Name];
    for (size_t I = 0; I < Names.size(); ++I)
      if (Count[Names[I]] > 1)
        Names[I] += Addition(*Kernels[I]);
  };
  AddToTwins(parameterList);
  AddToTwins([](const Function &F) {
    const DISubprogram *Subprogram = F.getSubprogram();
    return Subprogram ? (" in " + sys::path::filename(Subprogram->getFilename())).str() : "";
  });
  unsigned Number = 0;
  AddToTwins([&](const Function &) { return (" " + Twine(++Number)).str(); });
  return Names;
}

/// PoCL names folders and files after kernels: a name of many template arguments is cut, and what
/// was cut identified by its hash.
std::string symbolFor(StringRef Display, const Module &M) {
  constexpr size_t Longest = 160;
  std::string Symbol;
  for (char C : Display.take_front(Longest))
    Symbol += isAlnum(C) ? C : '_';
  if (Display.size() > Longest)
    Symbol += "_" + utohexstr(xxHash64(Display), /*LowerCase=*/true);
  while (M.getNamedValue(Symbol))
    Symbol += "_";
  return Symbol;
}

/// Program-scope constants with an initial value: OpenCL keeps them in constant memory.
void moveConstants(Module &M) {
  SmallVector<GlobalVariable *, 8> Constants;
  for (GlobalVariable &G : M.globals())
    if (roleOf(G) == VariableRole::Constant)
      Constants.push_back(&G);
  for (GlobalVariable *G : Constants) {
    auto *New = new GlobalVariable(M, G->getValueType(), /*isConstant=*/true,
                                   GlobalValue::InternalLinkage, G->getInitializer(), "", nullptr,
                                   GlobalVariable::NotThreadLocal, ConstantSpace);
    New->setAlignment(G->getAlign());
    const std::string Name = sourceNameOf(*G);
    G->setName("");
    New->setName(Name);
    for (Function &F : M)
      if (!F.isDeclaration())
        replaceIn(F, *G, New);
  }
}

void dropDebugIntrinsics(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (isa<DbgInfoIntrinsic>(I))
        I.eraseFromParent();
}

} // namespace

PreservedAnalyses CudaKernelsPass::run(Module &M, ModuleAnalysisManager &) {
  SmallVector<Function *, 8> Kernels;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() == CallingConv::SPIR_KERNEL)
      Kernels.push_back(&F);
  for (Function *Kernel : Kernels)
    returnAtExits(*Kernel);
  std::vector<std::string> Names = displayNames(Kernels);
  json::Array Managed = managedVariables(M), Unused = unusedVariables(M);
  dropDebugIntrinsics(M);
  json::Array Signatures;
  for (const auto &[F, Name] : zip(Kernels, Names)) {
    std::string Mangled = nameOnHost(F->getName());
    F->setName(""); // the symbol is to be the plain name
    const std::string Symbol = symbolFor(Name, M);
    Signatures.push_back(KernelLowering(F, std::move(Name), Symbol, std::move(Mangled)).lower());
  }
  moveConstants(M);
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (G.use_empty() && (G.getSection() == ManagedSection || roleOf(G) == VariableRole::Argument))
      G.eraseFromParent();
  json::Object All{{"kernels", std::move(Signatures)}};
  if (!Managed.empty())
    All["managed"] = std::move(Managed);
  if (!Unused.empty())
    All["unused"] = std::move(Unused);
  writeSignatures(std::move(All));
  return PreservedAnalyses::none();
}

} // namespace wspasses
