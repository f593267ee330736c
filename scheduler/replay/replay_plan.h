#pragma once
// A kernel's control flow, flattened once per launch for the replay's inner loop.
#include <cstdint>
#include <vector>

#include "traces/program/kernel_info.h"

namespace warpscope {

struct ReplayPlan {
  static constexpr std::uint32_t kExit = ~std::uint32_t{0};  ///< the virtual exit as a block id

  /// A memory instruction, barrier or fence of a block.
  struct Step {
    SiteId site;
    AccessKind kind;
  };
  /// One level of a block's loop nest. `header` orders loops and blocks by position in the program.
  struct LoopLevel {
    BlockId header;
    std::uint32_t loop;
  };
  struct Block {
    std::uint32_t first_step = 0, end_step = 0;  ///< range in `steps`
    std::uint32_t first_successor = 0;           ///< index in `successors`
    std::uint32_t successors = 0;                ///< 0 = return
    std::uint32_t outcome_bits = 0;
    std::uint32_t reconverge = kExit;              ///< immediate post-dominator
    std::uint32_t first_level = 0, end_level = 0;  ///< range in `levels`, outermost loop first
    std::uint32_t loop = kNoLoop;                  ///< innermost loop
    bool is_header = false;                        ///< whether it is the header of `loop`
    bool is_gate =
        false;  ///< without instructions: work-items of outcome 0 do what is in the first successor, then all go to the second
    bool is_end = false;  ///< without instructions and successors
  };
  static constexpr std::uint32_t kNoLoop = ~std::uint32_t{0};

  std::vector<Block> blocks;
  std::vector<Step> steps;
  std::vector<std::uint32_t> successors;  ///< block ids
  std::vector<LoopLevel> levels;
  std::uint32_t sites = 0;
  std::uint32_t loops = 0;

  /// Throws InputError when ids are out of range or loops contain each other in a circle.
  explicit ReplayPlan(const KernelInfo& kernel);

  /// True when loop `outer` contains block `block`.
  [[nodiscard]] bool contains(std::uint32_t outer, std::uint32_t block) const {
    for (std::uint32_t l = blocks[block].first_level; l < blocks[block].end_level; ++l) {
      if (levels[l].loop == outer) return true;
    }
    return false;
  }

 private:
  void add_block(const KernelInfo& kernel, const BlockInfo& info);
  void add_levels(const KernelInfo& kernel, const BlockInfo& info, Block& block);
  void mark_endless_blocks();
};

}  // namespace warpscope
