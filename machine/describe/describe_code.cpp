#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "machine/describe/describe_kernel.h"
#include "machine/describe/locations.h"
#include "machine/describe/mix.h"
#include "machine/execute/source_line.h"
#include "machine/facts/counts.h"
#include "machine/isa/printer.h"

namespace warpscope::machine {

std::vector<SourceLocation> locations_of(const Code& code, std::uint32_t place) {
  const SourceLine at = source_line(code, place);
  if (at.line == 0) return {};
  return {{at.file, at.line, 0}};
}

MachineCode describe_code(const Code& code, const CodeFlow& flow) {
  MachineCode described;
  described.architecture = code.cubin().architecture();
  std::vector<MachineInstruction> instructions;
  for (std::uint32_t place = 0; place < code.instructions().size(); ++place) {
    const Instruction& instruction = code.instructions()[place];
    MachineInstruction& one = instructions.emplace_back();
    one.low = instruction.low;
    one.high = instruction.high;
    one.text = text_of(code.decoder(), instruction);
    if (instruction.is_known()) {
      one.kind = kind_of(code.decoder(), instruction);
      one.pipe = name_of(code.decoder().row(instruction).pipe);
    }
    for (const SourceLocation& at : locations_of(code, place))
      one.location = fmt::format("{}:{}", at.file, at.line);
  }
  std::vector<std::optional<std::uint32_t>> blocks;
  for (const CodeBlock& block : flow.blocks()) {
    blocks.emplace_back();
    if (block.kind == CodeBlock::Kind::Code) blocks.back() = block.first;
  }
  described.instructions = std::move(instructions);
  described.first_of_block = std::move(blocks);
  return described;
}

}  // namespace warpscope::machine
