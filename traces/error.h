#pragma once
// The three kinds of failure are never mixed: bad input throws InputError (tools exit 2), our own bug
// asserts, and what a kernel does that cannot be traced is reported and makes the tool exit 3.
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace warpscope {

constexpr int kExitOk = 0;
constexpr int kExitBadInput = 2;
constexpr int kExitNotTraceable = 3;

/// Bad input. The message says where, what, what was expected and how to mend it, in one line without a final
/// stop: "mm.wtrace: byte 4096: checksum of work-group 17 does not match, expected an intact capture; capture
/// it again".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The reader of our standard output has gone (EPIPE): not an error of ours, the tool ends quietly.
class ClosedPipe : public std::exception {};

/// Runs a tool's body. InputError, wrong options (Boost.Program_options), failed allocations and standard
/// output that cannot be flushed are printed as "<tool>: <message>" on stderr with exit status 2; a closed
/// pipe on standard output ends quietly. SIGPIPE is ignored, so that writers see the error.
int run_tool(const std::string& tool, const std::function<int()>& body);

}  // namespace warpscope
