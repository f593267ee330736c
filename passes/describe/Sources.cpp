//===- Sources.cpp ----------------------------------------------------------===//
#include "passes/describe/Sources.h"

#include <set>

#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace wspasses {

namespace {

/// How a value reaches what is looked at: from the closest to the loosest.
enum Flow : unsigned { Whole, Part, Choice };

/// Functions that differ between the work-items of a launch.
bool isWorkItemNumber(const CallBase &Call) {
  Optional<BuiltinName> Name = calledBuiltin(Call);
  return Name && StringSwitch<bool>(Name->Base)
                     .Cases("get_global_id", "get_local_id", "get_group_id", true)
                     .Cases("get_global_linear_id", "get_local_linear_id", true)
                     .Default(false);
}

class SourceSearch {
public:
  explicit SourceSearch(const SiteNumbers &Sites) : Sites(Sites) {}

  void follow(const Value *From) {
    push(From, Whole);
    while (!Work.empty()) {
      auto [V, How] = Work.pop_back_val();
      visit(*V, static_cast<Flow>(How));
    }
  }

  warpscope::AddressSources result() const {
    warpscope::AddressSources Result;
    for (uint32_t Site : Found[Whole])
      Result.value.emplace_back(Site);
    for (uint32_t Site : Found[Part])
      Result.part.emplace_back(Site);
    for (uint32_t Site : Found[Choice])
      Result.choice.emplace_back(Site);
    Result.work_item = WorkItem;
    return Result;
  }

private:
  void push(const Value *V, Flow How) {
    const auto *I = dyn_cast<Instruction>(V);
    if (I && Seen.insert({I, How}).second)
      Work.push_back({I, How});
  }

  void visit(const Instruction &I, Flow How) {
    if (const auto Site = Sites.find(&I); Site != Sites.end()) {
      Found[How].insert(Site->second);
      return;
    }
    if (const auto *Call = dyn_cast<CallBase>(&I); Call && isWorkItemNumber(*Call)) {
      WorkItem = true;
      return;
    }
    // Kernel parameters, and what the options leave out.
    if (isa<LoadInst>(I))
      return;
    // A phi of one block only names a value behind a loop.
    const auto *Phi = dyn_cast<PHINode>(&I);
    if ((Phi && Phi->getNumIncomingValues() > 1) ||
        isa<ExtractElementInst, ExtractValueInst, ShuffleVectorInst>(I))
      How = std::max(How, Part);
    if (isa<CmpInst>(I))
      How = Choice;
    const auto *Select = dyn_cast<SelectInst>(&I);
    for (const Value *Operand : I.operand_values())
      push(Operand, Select && Operand == Select->getCondition() ? Choice : How);
  }

  const SiteNumbers &Sites;
  SmallVector<std::pair<const Instruction *, unsigned>, 16> Work;
  DenseSet<std::pair<const Instruction *, unsigned>> Seen;
  std::set<uint32_t> Found[Choice + 1];
  bool WorkItem = false;
};

} // namespace

warpscope::AddressSources sourcesOf(const Value *V, const SiteNumbers &Sites) {
  SourceSearch Search(Sites);
  Search.follow(V);
  return Search.result();
}

std::vector<warpscope::SiteId> allOf(const warpscope::AddressSources &Sources) {
  std::set<uint32_t> All;
  for (const auto *List : {&Sources.value, &Sources.part, &Sources.choice})
    for (warpscope::SiteId Site : *List)
      All.insert(Site.value());
  return {All.begin(), All.end()};
}

} // namespace wspasses
