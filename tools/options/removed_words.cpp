#include "tools/options/removed_words.h"

#include <fmt/format.h>

#include "traces/base/error.h"

namespace warpscope {
namespace {

struct RemovedWord {
  std::string_view command, option;
  std::string_view message;  ///< text after the option and a colon
};

constexpr std::string_view kRunsInOneGo =
    "a simulation runs in one go, expected no such option; trace-kernel and warpscope study have it";

constexpr RemovedWord kRemoved[] = {
    {"cachesim", "--resume", kRunsInOneGo},
    {"cachesim", "--keep-resume", kRunsInOneGo},
    {"cachesim", "--reuse-by-whom", "has another name, expected --reuse-by-source"},
    {"cachesim sweep", "--resume", kRunsInOneGo},
    {"cachesim sweep", "--keep-resume", kRunsInOneGo},
    {"cachesim timed", "--resume", kRunsInOneGo},
    {"cachesim timed", "--sample-cores",
     "its intervals did not hold the whole GPU's cycles, expected --sample-launches N for many launches, "
     "or --waves N for rates of the first work-groups"},
    {"cachesim timed", "--unroll", "expected --set unrolled_iterations=N"},
    {"cachesim timed", "--predicated", "expected --set predicated_instructions=N"},
    {"cachesim timed", "--independent", "expected --set dependence_distance=N"},
    {"cachesim timed", "--allocate-on-fill", "expected --set l1_allocates_on_fill=true"},
    {"cachesim timed", "--l1-stages", "expected --set l1_stages=wavefronts or --set l1_stages=in-order"},
    {"cachesim timed", "--l2", "expected --set l2_keeps_content=false (cold) or =true (warm)"},
    {"cachesim timed", "--l2-slice-index", "expected --set l2_slice_index=INDEX"},
    {"cachesim timed", "--l2-set-index", "expected --set l2_set_index=INDEX"},
    {"cachesim timed", "--ideal", "expected --set ideal=issue or --set ideal=fixed-order"},
    {"cachesim timed", "--keep-resume", kRunsInOneGo},
};

}  // namespace

void refuse_removed_words(std::string_view command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string_view option = std::string_view(word).substr(0, word.find('='));
    for (const RemovedWord& removed : kRemoved)
      if (removed.command == command && removed.option == option)
        throw InputError(fmt::format("{}: {}", option, removed.message));
  }
}

}  // namespace warpscope
