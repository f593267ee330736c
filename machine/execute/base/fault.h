#pragma once
// What ends the execution of a launch: said with the place, by whoever knows it.
#include <cstdint>
#include <stdexcept>
#include <string>

namespace warpscope::machine {

/// What a GPU's host hears of it.
enum class FaultKind : std::uint8_t {
  NotExecuted,  ///< it is not executed here, or did not come to an end
  Address,      ///< of no memory
  Misaligned,
  Stack,  ///< overflows
  Assertion,
  Trap,
};

/// A kernel did what a GPU would refuse, or what is not executed here. The message says what; where is added on the way up.
class ExecutionFault : public std::runtime_error {
 public:
  explicit ExecutionFault(const std::string& what, FaultKind of = FaultKind::NotExecuted)
      : std::runtime_error(what), kind(of) {}
  FaultKind kind;
  int lane = -1;  ///< whose access it was; -1: of the first one
};

}  // namespace warpscope::machine
