// First in, first out: the line that came in first goes; uses do not matter.
#include "cachesim/l1/policy_cache.h"
#include "cachesim/l1/replacement/time_stamps.h"

namespace warpscope {
namespace {

class Fifo : public TimeStamps {
 public:
  using TimeStamps::TimeStamps;
  void on_hit(const Reference&) {}
};

}  // namespace

WARPSCOPE_REPLACEMENT(fifo, Fifo)

}  // namespace warpscope
