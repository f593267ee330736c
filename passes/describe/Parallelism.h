//===- Parallelism.h - the dependence graph of a block -------------*- C++ -*-===//
#ifndef WARPSCOPE_PASSES_PARALLELISM_H
#define WARPSCOPE_PASSES_PARALLELISM_H

#include "passes/describe/Dependence.h"
#include "passes/describe/InstructionMix.h"

namespace wspasses {

/// Follows the dependences of one block, instruction by instruction in program order, and says how
/// long its longest chain is and how many loads of global memory can be in flight together. The
/// definitions are in traces/FORMAT.md, "Parallelism of a block".
class BlockGraph {
public:
  explicit BlockGraph(const LoadMotion &Motion) : Motion(Motion) {}
  /// The next instruction, and what it counts as.
  void add(llvm::Instruction &I, const MixEntry &Mix);
  warpscope::BlockParallelism result() const;

private:
  static constexpr size_t None = ~size_t(0);
  struct Node {
    llvm::StringRef Class;
    uint32_t Steps = 0;     ///< length of the longest chain that ends here, itself included
    size_t Before = None;   ///< what is before it on that chain
    uint32_t LoadsDone = 0; ///< loads that must have returned before it issues, one after the other
    bool IsStep = false, IsLoad = false;
  };
  void follow(Node &After, size_t Before, bool NeedsValue) const;
  void followMemory(llvm::Instruction &I, Node &Next, bool IsBarrier);
  void use(const llvm::Value *V, Node &Next);

  const LoadMotion &Motion;
  std::vector<Node> Nodes;
  llvm::DenseMap<const llvm::Instruction *, size_t> NodeOf;
  llvm::DenseMap<const llvm::Instruction *, uint32_t>
      GroupOf;                            ///< group of each load, and of what passes its value on
  size_t Barrier = None;                  ///< the last one
  std::vector<size_t> MemorySinceBarrier; ///< accesses
  uint32_t Loads = 0, Groups = 0;
  bool GroupIsOpen = false;
};

} // namespace wspasses

#endif
