//===- SourceLines.cpp ------------------------------------------------------===//
#include "passes/lower/SourceLines.h"

#include <algorithm>
#include <tuple>

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace wspasses {

namespace {

constexpr const char *DomainName = "warpscope.lines";
// The text of a mark that names no line. It begins as those of reads do.
constexpr StringLiteral ReadOnlyMark = "read-only";

/// File as the compiler saw it; directories of this machine stay out.
std::string fileOf(const DILocation &Location) {
  StringRef Name = Location.getFilename();
  return (sys::path::is_absolute(Name) ? sys::path::filename(Name) : Name).str();
}

std::string functionOf(const DILocation &Location) {
  const DISubprogram *Subprogram = Location.getScope()->getSubprogram();
  return Subprogram ? withoutDirectories(Subprogram->getName()) : std::string();
}

/// The first character of a mark.
char letterOf(LineRole Role) { return Role == ReadsLine ? 'r' : 'w'; }

/// "rline:column:function<newline>file": both names may hold colons ("map<ns::twice>").
std::string encode(LineRole Role, const DILocation &Location) {
  return (Twine(letterOf(Role)) + Twine(Location.getLine()) + ":" + Twine(Location.getColumn()) +
          ":" + functionOf(Location) + "\n" + fileOf(Location))
      .str();
}

/// The text of one of our scopes; empty for others.
StringRef markText(const Metadata *Scope) {
  const auto *Node = dyn_cast<MDNode>(Scope);
  if (!Node || Node->getNumOperands() != 3)
    return StringRef();
  const auto *Domain = dyn_cast_or_null<MDNode>(Node->getOperand(1));
  const auto *Text = dyn_cast_or_null<MDString>(Node->getOperand(2));
  if (!Domain || !Text || Domain->getNumOperands() != 2)
    return StringRef();
  const auto *Name = dyn_cast_or_null<MDString>(Domain->getOperand(1));
  return Name && Name->getString() == DomainName ? Text->getString() : StringRef();
}

bool hasRole(StringRef Text, unsigned Roles) {
  return !Text.empty() && Roles & (Text.front() == letterOf(ReadsLine) ? ReadsLine : WritesLine);
}

void decode(StringRef Text, SourceLines &Lines) {
  warpscope::SourceLocation Location;
  Text = Text.drop_front(); // the role
  Text.consumeInteger(10, Location.line);
  Text.consume_front(":");
  Text.consumeInteger(10, Location.column);
  Text.consume_front(":");
  auto [Function, File] = Text.split('\n');
  Location.file = File.str();
  if (Lines.Function.empty())
    Lines.Function = Function.str();
  if (Location.line)
    Lines.Locations.push_back(std::move(Location));
}

void sortAndUnique(std::vector<warpscope::SourceLocation> &Locations) {
  auto Key = [](const warpscope::SourceLocation &L) { return std::tie(L.file, L.line, L.column); };
  std::sort(Locations.begin(), Locations.end(),
            [&](const auto &A, const auto &B) { return Key(A) < Key(B); });
  Locations.erase(std::unique(Locations.begin(), Locations.end(),
                              [&](const auto &A, const auto &B) { return Key(A) == Key(B); }),
                  Locations.end());
}

/// The scopes of a list that `Keep` accepts by the text of their mark, null if there are none.
template <typename Predicate> MDNode *filterScopes(const MDNode &Scopes, const Predicate &Keep) {
  SmallVector<Metadata *, 4> Kept;
  for (const MDOperand &Scope : Scopes.operands())
    if (Keep(markText(Scope)))
      Kept.push_back(Scope);
  return Kept.empty() ? nullptr : MDNode::get(Scopes.getContext(), Kept);
}

MDNode *withoutMarks(const MDNode &Scopes) {
  return filterScopes(Scopes, [](StringRef Text) { return Text.empty(); });
}

/// One list per role and location.
class Marker {
public:
  explicit Marker(Module &M)
      : Builder(M.getContext()), Domain(Builder.createAnonymousAliasScopeDomain(DomainName)) {}

  void mark(Instruction &I, LineRole Role) { mark(I, Role, encode(Role, *I.getDebugLoc())); }
  void markReadOnly(Instruction &I) { mark(I, ReadsLine, ReadOnlyMark); }

private:
  void mark(Instruction &I, LineRole Role, StringRef Text) {
    MDNode *&List = Lists[Text];
    if (!List)
      List = MDNode::get(I.getContext(), Builder.createAnonymousAliasScope(Domain, Text));
    addMarks(I, *List, Role);
  }

  MDBuilder Builder;
  MDNode *Domain;
  StringMap<MDNode *> Lists;
};

} // namespace

unsigned rolesOf(const Instruction &I) {
  if (isa<LoadInst>(I))
    return ReadsLine;
  if (isa<StoreInst, MemSetInst>(I))
    return WritesLine;
  return isa<AtomicRMWInst, AtomicCmpXchgInst, MemTransferInst>(I) ? ReadsLine | WritesLine : 0u;
}

MDNode *marksOf(const Instruction &I) {
  const MDNode *Scopes = I.getMetadata(LLVMContext::MD_alias_scope);
  return Scopes ? filterScopes(*Scopes, [](StringRef Text) { return !Text.empty(); }) : nullptr;
}

void addMarks(Instruction &I, const MDNode &Marks, unsigned Roles) {
  I.setMetadata(LLVMContext::MD_alias_scope,
                MDNode::concatenate(
                    I.getMetadata(LLVMContext::MD_alias_scope),
                    filterScopes(Marks, [&](StringRef Text) { return hasRole(Text, Roles); })));
}

std::string withoutDirectories(StringRef Name) {
  constexpr StringLiteral Before = " at ";
  std::string Result;
  while (true) {
    auto [Head, Rest] = Name.split(Before);
    Result += Head;
    if (Head.size() == Name.size())
      return Result;
    Result += Before;
    const StringRef Path = Rest.take_until([](char C) { return C == ':'; });
    Name = Path.contains('/') ? Rest.drop_front(Path.rfind('/') + 1) : Rest;
  }
}

PreservedAnalyses MarkLinesPass::run(Module &M, ModuleAnalysisManager &) {
  Marker Lines(M);
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      for (LineRole Role : {ReadsLine, WritesLine})
        if (rolesOf(I) & Role && I.getDebugLoc())
          Lines.mark(I, Role);
      if (I.hasMetadata(ReadOnlyMetadata))
        Lines.markReadOnly(I);
    }
  return PreservedAnalyses::all();
}

bool isMarkedReadOnly(const Instruction &I) {
  const MDNode *Marks = marksOf(I);
  return Marks && any_of(Marks->operands(),
                         [](const MDOperand &Mark) { return markText(Mark) == ReadOnlyMark; });
}

SourceLines sourceLinesOf(const Instruction &I) {
  SourceLines Lines;
  // An atomic may have become a call.
  const unsigned Roles = rolesOf(I) ? rolesOf(I) : ReadsLine | WritesLine;
  if (const MDNode *Marks = marksOf(I))
    for (const MDOperand &Mark : Marks->operands())
      if (StringRef Text = markText(Mark); hasRole(Text, Roles) && Text != ReadOnlyMark)
        decode(Text, Lines);
  // The debug location of a merged instruction may be that of its neighbour, so it only serves
  // where no mark is.
  if (const DILocation *Location = I.getDebugLoc(); Location && Lines.Locations.empty())
    decode(encode(ReadsLine, *Location), Lines);
  if (Lines.Function.empty())
    Lines.Function = I.getFunction()->getName().str();
  sortAndUnique(Lines.Locations);
  return Lines;
}

warpscope::SourceLocation locationOf(const DILocation &Location) {
  return {fileOf(Location), Location.getLine(), Location.getColumn()};
}

std::string describeLocation(const Instruction &I) {
  const SourceLines Lines = sourceLinesOf(I);
  if (Lines.Locations.empty())
    return Lines.Function;
  const warpscope::SourceLocation &First = Lines.Locations.front();
  return First.file + ":" + std::to_string(First.line) + ":" + std::to_string(First.column);
}

void stripSourceLines(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (const MDNode *Scopes = I.getMetadata(LLVMContext::MD_alias_scope))
        I.setMetadata(LLVMContext::MD_alias_scope, withoutMarks(*Scopes));
  StripDebugInfo(M);
  // The front end's path to the file is in here; the same kernel must give the same bytes
  // anywhere.
  M.setSourceFileName(sys::path::filename(M.getSourceFileName()));
}

} // namespace wspasses
