// Short texts with a grammar of their own. The first byte chooses which.
#include "cachesim/sweep/number_list.h"
#include "scheduler/assignment.h"
#include "tests/fuzzers/fuzzer.h"
#include "traces/program/group_selection.h"
#include "wrapper/launch/expressions/expression.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope::fuzzing {
namespace {

Number lookup(const std::string& name) {
  if (name == "gx") return std::int64_t{256};
  throw UnknownName(name);
}

void read_list(unsigned which, const std::string& text) {
  switch (which % 7) {
    case 0:
      static_cast<void>(GroupSelection::parse(text).count(LaunchId(1), 100000));
      break;
    case 1:
      parse_number_ranges(text, "list");
      break;
    case 2:
      values_of(parse_number_list("--ways", text, 1u << 20));
      break;
    case 3:
      parse_word_list("--replacement", text);
      break;
    case 4:
      parse_argument_option(text);
      break;
    case 5:
      try {
        evaluate(text, lookup, "expression");
      } catch (const UnknownName&) {
      }
      break;
    default: {
      const InputFile file({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
      assign_groups({WorkGroupId(0), WorkGroupId(2)}, 3, 15, file.path(), 1);
    }
  }
}

}  // namespace

void fuzz_lists(Bytes input) {
  if (input.empty()) return;
  const std::string text(input.begin() + 1, input.end());
  allow_refusal([&] { read_list(input[0], text); });
}

}  // namespace warpscope::fuzzing
