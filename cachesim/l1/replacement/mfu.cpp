// Most frequently used: the line with the most uses since it came in goes; ties go to the lowest way.
#include "cachesim/l1/policy_cache.h"
#include "cachesim/l1/replacement/use_counts.h"

namespace warpscope {
namespace {

class Mfu : public UseCounts {
 public:
  using UseCounts::UseCounts;
  WayIndex victim(const Reference& reference) {
    const auto counts = uses(reference);
    return WayIndex(
        static_cast<std::uint32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin()));
  }
};

}  // namespace

WARPSCOPE_REPLACEMENT(mfu, Mfu)

}  // namespace warpscope
