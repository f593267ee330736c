#pragma once
// The control flow of a kernel's machine code as captures have it: every decision of a work-item is the outcome of a block's end. A guarded
// access is a block of its own, which lanes whose guard fails go around.
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/execute/code.h"
#include "machine/execute/texture_accesses.h"

namespace warpscope::machine {

constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};

struct CodeBlock {
  enum class Kind : std::uint8_t {
    Code,
    Gate,  ///< before a guarded access or barrier: without instructions; outcome 0 makes the access, 1 does not
    End    ///< where work-items end that leave at a guarded EXIT
  };
  Kind kind = Kind::Code;
  std::uint32_t first = 0;  ///< number of the first instruction
  std::uint32_t count =
      0;  ///< 0 of a code block: a further access of an instruction for textures, which the first one counts
  std::uint32_t access = 0;  ///< its number among those of the instruction
  /// By outcome. A branch: 0 goes on, 1 jumps. An indirect one, and a return: in ascending order. A call through a pointer: 0 goes on (the guard does not hold, or the function is the system's), then
  /// all functions that it may lead to, ascending.
  std::vector<std::uint32_t> successors;
  /// Where its lanes go on: its successors; of a call the block behind it, of a return nothing, of a collective its own body and the block behind that. Lanes that part before a call meet behind it,
  /// wherever else the function may return to.
  std::vector<std::uint32_t> goes_on;
  std::optional<std::uint32_t> post_dominator;  ///< immediate; nothing: the end of the kernel
};

class CodeFlow {
 public:
  /// Throws ExecutionFault for jumps out of the code, and for more than a million ways of calls through pointers.
  explicit CodeFlow(const Code& code, const TextureAccesses& textures = {});

  /// Those that can be reached, in reverse post-order; the first is the entry.
  [[nodiscard]] const std::vector<CodeBlock>& blocks() const { return blocks_; }
  /// The block that holds an instruction, or its access where that is guarded; kNoBlock: it cannot be reached.
  [[nodiscard]] std::uint32_t block_of(std::uint32_t instruction) const { return block_of_[instruction]; }
  /// The block before a guarded access; kNoBlock: it is not guarded. All accesses of textures are; the second successor of their gate is the one
  /// before the next access of the same instruction.
  [[nodiscard]] std::uint32_t gate_of(std::uint32_t instruction) const { return gate_of_[instruction]; }
  /// Whether blocks end with calls through pointers.
  [[nodiscard]] bool calls_through_pointers() const { return calls_through_pointers_; }
  /// Of an instruction that ends its block: the outcome that leads to an instruction; nothing: none does.
  [[nodiscard]] std::optional<std::uint32_t> outcome_to(std::uint32_t instruction,
                                                        std::uint32_t target) const;

 private:
  void find_leaders(const Code& code);
  void find_returns(const Code& code);
  void add_returns(const Code& code, std::vector<std::uint32_t> open,
                   const std::vector<std::uint32_t>& after);
  void find_ends_of_collectives(const Code& code);
  void visit(const Code& code, std::uint32_t first);
  [[nodiscard]] std::vector<std::uint32_t> targets_of(const Code& code, std::uint32_t instruction) const;
  void make_blocks(const Code& code);
  void add_accesses(const TextureAccesses& textures);
  void order_blocks(std::uint32_t entry);
  void find_post_dominators();

  std::vector<CodeBlock> blocks_;
  std::vector<std::uint32_t> block_of_, gate_of_;
  std::vector<bool> leads_, is_reached_;
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> functions_;
  bool calls_through_pointers_ = false;
  /// By instruction of a return, or of the end of a collective: where it may return to.
  std::vector<std::vector<std::uint32_t>> returns_;
};

/// True for an access that only some lanes make, as their guard says.
bool is_guarded_access(const Code& code, std::uint32_t instruction);
/// True if lanes part at an instruction: a branch with a predicate or a guard.
bool is_conditional(const Operation& operation);

}  // namespace warpscope::machine
