#pragma once
#include "machine/execute/translation.h"

namespace warpscope::machine {

/// I2I, I2IP and F2IP, and of F2FP what has formats of 8 bits, tf32, or is held within the finite numbers (narrow.cpp).
bool translate_narrow(Translation& t);

}  // namespace warpscope::machine
