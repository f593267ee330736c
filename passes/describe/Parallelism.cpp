//===- Parallelism.cpp ------------------------------------------------------===//
#include "passes/describe/Parallelism.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

/// `NeedsValue`: After uses what Before makes; otherwise it only issues later.
void BlockGraph::follow(Node &After, size_t Before, bool NeedsValue) const {
  const Node &Earlier = Nodes[Before];
  const uint32_t Steps = Earlier.Steps + (After.IsStep ? 1 : 0);
  // Of equal chains the one that ends first in program order.
  if (Steps > After.Steps ||
      (Steps == After.Steps && After.Before != None && Before < After.Before)) {
    After.Steps = Steps;
    After.Before = Before;
  }
  const uint32_t Done = Earlier.LoadsDone + (NeedsValue && Earlier.IsLoad ? 1 : 0);
  After.LoadsDone = std::max(After.LoadsDone, Done);
}

void BlockGraph::followMemory(Instruction &I, Node &Next, bool IsBarrier) {
  if (IsBarrier) {
    for (size_t Access : MemorySinceBarrier)
      follow(Next, Access, /*NeedsValue=*/false);
  } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (const Instruction *Writer = Motion.writerInBlock(*Load))
      follow(Next, NodeOf.lookup(Writer), /*NeedsValue=*/true);
  }
  if (Barrier != None)
    follow(Next, Barrier, /*NeedsValue=*/true);
}

/// A value that `Next` uses. If a load of the open group made it, the group ends; instructions that
/// cost nothing pass the value on.
void BlockGraph::use(const Value *V, Node &Next) {
  const auto *Operand = dyn_cast<Instruction>(V);
  const auto Found = Operand ? NodeOf.find(Operand) : NodeOf.end();
  if (Found == NodeOf.end())
    return;
  follow(Next, Found->second, /*NeedsValue=*/true);
  const auto Group = GroupOf.find(Operand);
  if (Next.IsStep && Group != GroupOf.end() && Group->second == Groups)
    GroupIsOpen = false;
}

void BlockGraph::add(Instruction &I, const MixEntry &Mix) {
  Node Next;
  Next.Class = Mix.Class;
  // The values of phis are there when the block begins.
  const bool IsPhi = isa<PHINode>(I);
  Next.IsStep = Mix.Count > 0 && !IsPhi;
  Next.IsLoad = Mix.Class == "load_global";
  Next.Steps = Next.IsStep ? 1 : 0;
  for (const Value *V : I.operand_values())
    if (!IsPhi)
      use(V, Next);
  const bool IsBarrier = Mix.Class == "barrier";
  const bool IsAccess = Next.IsStep && !IsBarrier && I.mayReadOrWriteMemory();
  if (IsBarrier || IsAccess)
    followMemory(I, Next, IsBarrier);
  const size_t Number = Nodes.size();
  if (IsBarrier) {
    Barrier = Number;
    MemorySinceBarrier.clear();
  } else if (IsAccess) {
    MemorySinceBarrier.push_back(Number);
  }
  if (Next.IsLoad) {
    Loads += Mix.Count;
    Groups += GroupIsOpen ? 0 : 1;
    GroupIsOpen = true;
    GroupOf[&I] = Groups;
  } else if (!Next.IsStep && !IsPhi) {
    for (const Value *V : I.operand_values())
      if (const auto *Operand = dyn_cast<Instruction>(V))
        if (const auto Group = GroupOf.find(Operand); Group != GroupOf.end())
          GroupOf[&I] = std::max(GroupOf.lookup(&I), uint32_t(Group->second));
  }
  NodeOf[&I] = Number;
  Nodes.push_back(Next);
}

warpscope::BlockParallelism BlockGraph::result() const {
  warpscope::BlockParallelism Result;
  size_t End = None;
  for (size_t N = 0; N < Nodes.size(); ++N) {
    if (Nodes[N].Steps > (End == None ? 0 : Nodes[End].Steps))
      End = N;
    if (Nodes[N].IsLoad)
      Result.load_steps = std::max(Result.load_steps, Nodes[N].LoadsDone + 1);
  }
  for (; End != None; End = Nodes[End].Before)
    if (Nodes[End].IsStep)
      ++Result.path[Nodes[End].Class.str()];
  Result.loads = Loads;
  Result.load_groups = Groups;
  return Result;
}

} // namespace wspasses
