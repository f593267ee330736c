//===- Objects.cpp ----------------------------------------------------------===//
#include "passes/describe/Objects.h"

#include "passes/StackABI.h"
#include "passes/cuda/CudaToSpir.h"
#include "passes/lower/BuiltinNames.h"
#include "passes/recursion/Recursion.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using Kind = warpscope::StaticObject::Kind;

namespace wspasses {

namespace {

/// What it is given are texts for people.
bool isMessage(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee &&
         (Callee->getName() == "printf" || Callee->getName().startswith(DeviceCallPrefix));
}

/// "kernel.tile" of a local variable is "tile"; "tile.sroa.3" of a split private array is "tile".
std::string sourceName(const Value &V, const Function &F) {
  StringRef Name = V.getName();
  if (!isStack(V) && Name.consume_front(F.getName()))
    Name.consume_front(".");
  if (isa<AllocaInst>(V) || isStack(V))
    Name = Name.split('.').first;
  return Name.empty() ? "(unnamed)" : Name.str();
}

} // namespace

ObjectTable::ObjectTable(Function &F) : F(F) {
  for (Instruction &I : instructions(F)) {
    if (isa<AllocaInst>(I) || isStack(I))
      add(&I);
    if (isMessage(I))
      continue;
    for (Use &Operand : I.operands())
      if (auto *C = dyn_cast<Constant>(Operand))
        addGlobalsIn(C);
  }
}

void ObjectTable::add(Value *V) {
  if (Index.try_emplace(V, Values.size()).second)
    Values.push_back(V);
}

void ObjectTable::addGlobalsIn(Constant *C) {
  if (auto *Variable = dyn_cast<GlobalVariable>(C)) {
    // Warp functions exchange values through an array that no GPU has.
    const bool IsHidden = Variable->getName().contains(HardwarePrefix);
    if (Variable->getAddressSpace() != PrivateSpace && !IsHidden)
      add(Variable);
    return;
  }
  if (isa<ConstantExpr>(C))
    for (Use &Operand : C->operands())
      addGlobalsIn(cast<Constant>(Operand));
}

uint64_t ObjectTable::sizeOf(const Value *V) const {
  const DataLayout &Layout = F.getParent()->getDataLayout();
  if (const auto *Variable = dyn_cast<GlobalVariable>(V))
    return Layout.getTypeAllocSize(Variable->getValueType());
  if (isStack(*V)) // how much of it there is, is known when the kernel runs
    return WARPSCOPE_MOST_STACK_BYTES;
  auto Bits = cast<AllocaInst>(V)->getAllocationSizeInBits(Layout);
  return Bits ? Bits->getFixedSize() / 8 : 0;
}

std::vector<warpscope::ObjectInfo> ObjectTable::describe() const {
  std::vector<warpscope::ObjectInfo> Objects;
  Objects.reserve(Values.size());
  for (const Value *V : Values)
    Objects.push_back({sourceName(*V, F),
                       static_cast<warpscope::AddressSpace>(V->getType()->getPointerAddressSpace()),
                       sizeOf(V)});
  return Objects;
}

warpscope::StaticObject ObjectTable::classify(const Value *Object) const {
  if (const auto *Parameter = dyn_cast<Argument>(Object))
    return {Kind::Argument, Parameter->getArgNo()};
  auto Found = Index.find(Object);
  if (Found == Index.end())
    return {};
  switch (Object->getType()->getPointerAddressSpace()) {
  case LocalSpace:
    return {Kind::Local, Found->second};
  case PrivateSpace:
    return {Kind::Private, Found->second};
  default:
    return {Kind::ProgramScope, Found->second};
  }
}

warpscope::StaticObject ObjectTable::resolve(const Value *Address) const {
  SmallVector<const Value *, 4> Origins;
  getUnderlyingObjects(Address, Origins);
  if (Origins.size() != 1)
    return {};
  return classify(Origins.front());
}

uint64_t ObjectTable::staticLocalBytes() const {
  uint64_t Bytes = 0;
  for (const Value *V : Values)
    if (V->getType()->getPointerAddressSpace() == LocalSpace)
      Bytes += sizeOf(V);
  return Bytes;
}

} // namespace wspasses
