// Finds what is executed together: the instructions from WARPSYNC.COLLECTIVE to ENDCOLLECTIVE, the body of a collective.
#include <map>
#include <utility>
#include <vector>

#include "machine/execute/code.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kLongestBody = 8;  ///< ptxas's have up to two instructions
constexpr std::uint64_t kWithoutControl = (std::uint64_t{1} << 41) - 1;  ///< bits 64 to 104

}  // namespace

// A collective without a body, as damaged code may have it, only waits. An ENDCOLLECTIVE without one does nothing.
void Code::pair_collectives() {
  std::map<std::vector<std::pair<std::uint64_t, std::uint64_t>>, std::uint32_t> first_with;
  const auto size = static_cast<std::uint32_t>(operations_.size());
  for (std::uint32_t place = 0; place < size; ++place) {
    Operation& begin = operations_[place];
    if (begin.flow != Flow::BeginCollective) continue;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> body;
    std::uint32_t end = place + 1;
    const auto is_end = [&] {
      const Instruction& instruction = instructions_[end];
      return instruction.is_known() && decoder_.row(instruction).name == "ENDCOLLECTIVE";
    };
    for (; end < size && operations_[end].flow == Flow::Plain && !is_end() && body.size() < kLongestBody;
         ++end)
      body.emplace_back(instructions_[end].low, instructions_[end].high & kWithoutControl);
    if (end >= size || begin.target >= size || !is_end()) {
      begin.flow = Flow::WarpSync;
      continue;
    }
    begin.offset = first_with.try_emplace(body, place + 1).first->second;
    operations_[end].flow = Flow::EndCollective;
    operations_[end].target = begin.target;
    operations_[end].offset = begin.offset;
  }
}

}  // namespace warpscope::machine
