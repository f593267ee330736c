#pragma once
// The control flow graph of a function: basic blocks in the order of their addresses, and which may follow which.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "machine/isa/decoder.h"

namespace warpscope::machine {

struct FlowEdge {
  enum class Kind : std::uint8_t {
    Next,
    Branch,
    Indirect
  };  ///< the next instruction, a branch, an entry of a table of targets
  std::uint32_t block = 0;
  Kind kind = Kind::Next;
};

struct FlowBlock {
  std::uint32_t address = 0;  ///< of its first instruction, in the function
  std::uint32_t first = 0;    ///< number of its first instruction
  std::uint32_t count = 0;    ///< instructions
  std::vector<FlowEdge> successors;
  bool has_unknown_targets = false;  ///< ends with an indirect branch whose table the cubin does not have
};

/// Without the NOPs that fill up the end, and for a kernel without the functions behind it. Calls go on with the next instruction; so does
/// BSYNC, which waits for the other lanes of the warp. Targets of BRX and JMX are those of the cubin's attributes.
std::vector<FlowBlock> control_flow(const Cubin& cubin, const Function& function, const Decoder& decoder,
                                    const std::vector<Instruction>& code);

}  // namespace warpscope::machine
