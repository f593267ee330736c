#pragma once
// What ends the execution of a launch: said with the place, by whoever knows it.
#include <stdexcept>
#include <string>

namespace warpscope::machine {

/// A kernel did what a GPU would refuse, or what is not executed here. The message says what; where is added on the way up.
class ExecutionFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  int lane = -1;  ///< whose access it was; -1: of the first one
};

}  // namespace warpscope::machine
