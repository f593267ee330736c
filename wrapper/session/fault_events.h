#pragma once
// Faults of recorded kernels inside a traced program: noted for the parent, then handed on to the program's
// own handler, or to what the signal does by default.
#include "wrapper/recording/fault_handlers.h"

namespace warpscope::layer {

/// While it lives, such faults become lines of `events` (Session::events()). At most one at a time.
class FaultEvents {
 public:
  explicit FaultEvents(int events);

 private:
  FaultHandlers handlers_;
};

}  // namespace warpscope::layer
