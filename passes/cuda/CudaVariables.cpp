//===- CudaVariables.cpp ----------------------------------------------------===//
#include "passes/cuda/CudaVariables.h"

#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace wspasses {

namespace {

cl::opt<bool> IsProgram("warpscope-cuda-program",
                        cl::desc("The host can change every device and constant variable"));

bool mentions(const Constant *C, const GlobalVariable &G) {
  if (C == &G)
    return true;
  return isa<ConstantExpr>(C) && any_of(C->operands(), [&](const Use &Operand) {
           return mentions(cast<Constant>(Operand), G);
         });
}

/// Another variable's initial value holds its address.
bool isUsedByInitializer(const Constant *C) {
  return any_of(C->users(), [](const User *U) {
    if (isa<GlobalVariable>(U))
      return true;
    return isa<Constant>(U) && !isa<GlobalValue>(U) && isUsedByInitializer(cast<Constant>(U));
  });
}

/// Constant expressions belong to all kernels; instructions belong to one.
void expandConstantUses(Function &F, const GlobalVariable &G) {
  SmallVector<Instruction *, 64> Work;
  for (Instruction &I : instructions(F))
    Work.push_back(&I);
  while (!Work.empty()) {
    Instruction *I = Work.pop_back_val();
    for (Use &Operand : I->operands()) {
      auto *Expression = dyn_cast<ConstantExpr>(Operand);
      if (!Expression || !mentions(Expression, G))
        continue;
      auto *Phi = dyn_cast<PHINode>(I);
      Instruction *Before = Phi ? Phi->getIncomingBlock(Operand)->getTerminator() : I;
      Instruction *New = Expression->getAsInstruction(Before);
      New->setDebugLoc(I->getDebugLoc());
      Operand.set(New);
      Work.push_back(New);
    }
  }
}

/// Rebuilds what computes an address until the address space no longer shows.
void replaceAddress(Instruction &User, Value *Old, Value *New) {
  IRBuilder<> Builder(&User);
  auto *To = cast<PointerType>(New->getType());
  Value *Rebuilt = nullptr;
  if (To == Old->getType()) {
    User.replaceUsesOfWith(Old, New);
    return;
  }
  if (auto *Cast = dyn_cast<BitCastInst>(&User)) {
    Rebuilt =
        Builder.CreateBitCast(New, PointerType::getWithSamePointeeType(
                                       cast<PointerType>(Cast->getType()), To->getAddressSpace()));
  } else if (auto *Gep = dyn_cast<GetElementPtrInst>(&User)) {
    Rebuilt = Builder.CreateGEP(Gep->getSourceElementType(), New,
                                SmallVector<Value *, 4>(Gep->indices()), "", Gep->isInBounds());
  } else if (isa<AddrSpaceCastInst>(User)) {
    User.replaceAllUsesWith(Builder.CreateAddrSpaceCast(New, User.getType()));
    User.eraseFromParent();
    return;
  } else if (isa<LoadInst>(User)) {
    User.setOperand(0, New);
    return;
  } else {
    User.replaceUsesOfWith(Old, Builder.CreateAddrSpaceCast(New, Old->getType()));
    return;
  }
  SmallVector<llvm::User *, 4> Users(User.users());
  for (llvm::User *Next : Users)
    replaceAddress(*cast<Instruction>(Next), &User, Rebuilt);
  User.eraseFromParent();
}

/// Where debug information says nothing (a declaration has none).
ParameterType typeFromIr(const Type *T) {
  ParameterType Result;
  Result.IsPointer = true;
  Result.Element = T->isFloatTy()       ? "float"
                   : T->isDoubleTy()    ? "double"
                   : T->isHalfTy()      ? "half"
                   : T->isIntegerTy(8)  ? "char"
                   : T->isIntegerTy(16) ? "short"
                   : T->isIntegerTy(32) ? "int"
                   : T->isIntegerTy(64) ? "long"
                                        : "struct";
  if (const auto *Struct = dyn_cast<StructType>(T)) {
    StringRef Name = Struct->hasName() ? Struct->getName() : "struct";
    Name.consume_front("struct.");
    Result.Element = Name.str();
    Result.IsStruct = true;
  }
  Result.Text = Result.Element + " *";
  return Result;
}

const DIGlobalVariable *debugInfoOf(const GlobalVariable &G) {
  SmallVector<DIGlobalVariableExpression *, 1> Info;
  G.getDebugInfo(Info);
  return Info.empty() ? nullptr : Info.front()->getVariable();
}

/// Writes a constant's bytes to `Bytes`; false if it holds an address.
bool writeBytes(const Constant &C, const DataLayout &Layout, MutableArrayRef<char> Bytes) {
  if (C.isNullValue() || isa<UndefValue>(C))
    return true;
  if (isa<ConstantInt>(C) || isa<ConstantFP>(C)) {
    const APInt Bits = isa<ConstantInt>(C) ? cast<ConstantInt>(C).getValue()
                                           : cast<ConstantFP>(C).getValueAPF().bitcastToAPInt();
    memcpy(Bytes.data(), Bits.getRawData(), std::min<size_t>(Bytes.size(), Bits.getNumWords() * 8));
    return true;
  }
  if (const auto *Cast = dyn_cast<ConstantExpr>(&C)) // a function (CudaCalls.cpp), or null
    return Cast->isCast() && writeBytes(*Cast->getOperand(0), Layout, Bytes);
  Type *T = C.getType();
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct && !T->isArrayTy() && !T->isVectorTy())
    return false;
  const unsigned Count = Struct           ? Struct->getNumElements()
                         : T->isArrayTy() ? T->getArrayNumElements()
                                          : cast<FixedVectorType>(T)->getNumElements();
  for (unsigned I = 0; I < Count; ++I) {
    const Constant *Element = C.getAggregateElement(I);
    if (!Element)
      return false;
    const uint64_t Size = Layout.getTypeStoreSize(Element->getType());
    const uint64_t Offset = Struct ? Layout.getStructLayout(Struct)->getElementOffset(I)
                                   : I * Layout.getTypeAllocSize(Element->getType());
    if (!writeBytes(*Element, Layout, Bytes.slice(Offset, Size)))
      return false;
  }
  return true;
}

void collectVariables(const Constant *C, SmallPtrSetImpl<const GlobalVariable *> &Found) {
  if (const auto *G = dyn_cast<GlobalVariable>(C))
    Found.insert(G);
  else if (isa<ConstantExpr>(C))
    for (const Use &Operand : C->operands())
      collectVariables(cast<Constant>(Operand), Found);
}

} // namespace

VariableRole roleOf(const GlobalVariable &G) {
  if (G.getAddressSpace() == LocalSpace)
    return G.isDeclaration() ? VariableRole::DynamicShared : VariableRole::Shared;
  if (G.getAddressSpace() != GlobalSpace || G.hasExternalWeakLinkage() || isUsedByInitializer(&G))
    return VariableRole::Stays;
  const bool HasValue = !IsProgram && !G.isDeclaration() && !G.getInitializer()->isNullValue();
  if (!HasValue && (!G.isConstant() || isTableOfVirtualFunctions(G)))
    return VariableRole::Argument;
  return G.getSection() == ConstantSection ? VariableRole::Constant : VariableRole::Stays;
}

bool isInConstantMemory(const GlobalVariable &G) {
  const auto *Struct = dyn_cast<StructType>(G.getValueType());
  const bool IsTexture = Struct && Struct->hasName() &&
                         (Struct->getName().startswith("struct.texture") ||
                          Struct->getName().startswith("struct.surface"));
  return IsTexture || G.getSection() == ConstantSection;
}

Optional<std::string> initialBytes(const GlobalVariable &G) {
  if (G.isDeclaration() || G.getInitializer()->isNullValue() || isa<UndefValue>(G.getInitializer()))
    return None;
  const DataLayout &Layout = G.getParent()->getDataLayout();
  std::string Bytes(Layout.getTypeAllocSize(G.getValueType()), '\0');
  if (!writeBytes(*G.getInitializer(), Layout, MutableArrayRef<char>(Bytes.data(), Bytes.size())))
    return None;
  return Bytes;
}

std::string sourceNameOf(const GlobalVariable &G) {
  if (const DIGlobalVariable *Info = debugInfoOf(G); Info && !Info->getName().empty())
    return Info->getName().str();
  const std::string Name = demangle(G.getName().str());
  const size_t Scope = Name.rfind("::");
  return Scope == std::string::npos ? Name : Name.substr(Scope + 2);
}

Type *elementTypeOf(const GlobalVariable &G) {
  Type *T = G.getValueType();
  while (T->isArrayTy())
    T = T->getArrayElementType();
  return T;
}

ParameterType typeAsParameter(const GlobalVariable &G) {
  if (const DIGlobalVariable *Info = debugInfoOf(G))
    return pointerTo(Info->getType());
  ParameterType Result = typeFromIr(elementTypeOf(G));
  Result.Bytes = G.getParent()->getDataLayout().getTypeAllocSize(elementTypeOf(G));
  return Result;
}

SmallVector<GlobalVariable *, 8> variablesUsedBy(const Function &F) {
  SmallPtrSet<const GlobalVariable *, 8> Found;
  for (const Instruction &I : instructions(F))
    for (const Use &Operand : I.operands())
      if (const auto *C = dyn_cast<Constant>(Operand))
        collectVariables(C, Found);
  SmallVector<GlobalVariable *, 8> Result;
  for (const GlobalVariable &G : F.getParent()->globals())
    if (Found.contains(&G))
      Result.push_back(const_cast<GlobalVariable *>(&G));
  return Result;
}

void replaceIn(Function &F, GlobalVariable &G, Value *New) {
  expandConstantUses(F, G);
  SmallVector<Instruction *, 16> Users;
  for (User *U : G.users())
    if (auto *I = dyn_cast<Instruction>(U); I && I->getFunction() == &F && I != New)
      Users.push_back(I);
  for (Instruction *User : Users)
    replaceAddress(*User, &G, New);
}

std::string nameOnHost(StringRef Name) {
  for (const auto &[Here, There] :
       {std::pair(".static.", "__static__"), std::pair(".intern.", "__intern__")})
    if (const size_t At = Name.find(Here); At != StringRef::npos)
      return (Name.take_front(At) + There + Name.substr(At + StringRef(Here).size())).str();
  return Name.str();
}

json::Array managedVariables(const Module &M) {
  json::Array List;
  for (const GlobalVariable &G : M.globals()) {
    if (G.getSection() != ManagedSection || G.isDeclaration())
      continue;
    json::Object One{{"variable", nameOnHost(G.getName())},
                     {"name", sourceNameOf(G)},
                     {"bytes", uint64_t(M.getDataLayout().getTypeAllocSize(G.getValueType()))}};
    if (const auto Initial = initialBytes(G))
      One["initial"] = toHex(*Initial, /*LowerCase=*/true);
    List.push_back(std::move(One));
  }
  return List;
}

json::Array unusedVariables(Module &M) {
  json::Array List;
  for (GlobalVariable &G : M.globals()) {
    G.removeDeadConstantUsers();
    if (!G.use_empty() || roleOf(G) != VariableRole::Argument)
      continue;
    if (const auto Initial = initialBytes(G))
      List.push_back(json::Object{{"variable", nameOnHost(G.getName())},
                                  {"name", sourceNameOf(G)},
                                  {"kind", "buffer"},
                                  {"fixed_bytes", uint64_t(Initial->size())},
                                  {"initial", toHex(*Initial, /*LowerCase=*/true)}});
  }
  return List;
}

} // namespace wspasses
