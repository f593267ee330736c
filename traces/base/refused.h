#pragma once
#include "traces/base/error.h"

namespace warpscope {

/// What a kernel needs is more than the simulated machine has, and nothing is left to do. As InputError, with
/// exit status 3.
class Refused : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace warpscope
