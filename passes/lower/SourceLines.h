//===- SourceLines.h - every source line that an access stands for -*- C++ -*-===//
//
// When the optimiser merges accesses it keeps one debug location or none. Alias scopes are
// different: merging two instructions unites their scope lists (MDNode::getMostGenericAliasScope).
// So each access gets a scope named after its line, in a domain of our own that no noalias list
// mentions: alias analysis is not affected, and at the end the list holds all the lines. Where a
// pass loses the list, KeepLines.h brings it back. A copy reads at one line and may come to write
// at another, so a scope says which of the two it names.
//
//===----------------------------------------------------------------------===//
#ifndef WARPSCOPE_PASSES_SOURCELINES_H
#define WARPSCOPE_PASSES_SOURCELINES_H

#include <string>
#include <vector>

#include "traces/program/kernel_info.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PassManager.h"

namespace wspasses {

/// Metadata of a load that CUDA's __ldg() makes.
inline constexpr const char *ReadOnlyMetadata = "warpscope.read_only";

/// Marks loads, stores, atomics and memory intrinsics. Runs after inlining, so that a helper's
/// lines are its own. A load with ReadOnlyMetadata gets another mark, so that merges keep that,
/// too.
struct MarkLinesPass : llvm::PassInfoMixin<MarkLinesPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

/// What a mark names the line of; a set of these is a bit mask.
enum LineRole : unsigned { ReadsLine = 1, WritesLine = 2 };
/// What an instruction does that marks can name; 0 for all but loads, stores, atomics and memory
/// intrinsics.
unsigned rolesOf(const llvm::Instruction &I);
/// The marks of an instruction without other scopes, null if it has none.
llvm::MDNode *marksOf(const llvm::Instruction &I);
/// Adds those of `Marks` that name one of `Roles`.
void addMarks(llvm::Instruction &I, const llvm::MDNode &Marks, unsigned Roles);

/// Whether a load was one with ReadOnlyMetadata, or stands for one.
bool isMarkedReadOnly(const llvm::Instruction &I);

/// Where an instruction comes from.
struct SourceLines {
  std::string Function;                             ///< innermost source function
  std::vector<warpscope::SourceLocation> Locations; ///< sorted, distinct
};
SourceLines sourceLinesOf(const llvm::Instruction &I);
warpscope::SourceLocation locationOf(const llvm::DILocation &Location);

/// "file:line:column" of an instruction, or the function's name if it has no location.
std::string describeLocation(const llvm::Instruction &I);

/// Name of a function without directories of this machine: "map<(lambda at /home/me/k.cuh:3:9)>".
std::string withoutDirectories(llvm::StringRef Name);

/// Removes the marks and all debug information: PoCL prints errors for the latter.
void stripSourceLines(llvm::Module &M);

} // namespace wspasses

#endif
