// What <nvToolsExt.h> calls.
#include "wrapper/cuda/state/ranges.h"

using namespace warpscope::cuda;

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): the header's names
int warpscopeRangePush(const char* domain, const char* name) {
  return push_range(domain, name);
}
int warpscopeRangePop(const char* domain) {
  return pop_range(domain);
}
std::uint64_t warpscopeRangeStart(const char* domain, const char* name) {
  return start_range(domain, name);
}
void warpscopeRangeEnd(std::uint64_t range) {
  end_range(range);
}
// NOLINTEND(readability-identifier-naming)
}
