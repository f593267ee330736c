#pragma once
// The three kinds of failure are never mixed: bad input throws InputError (tools exit 2), our own bug
// asserts, and what a kernel does that cannot be traced is reported and makes the tool exit 3.
#include <exception>
#include <stdexcept>
#include <string>

namespace warpscope {

constexpr int kExitOk = 0;
constexpr int kExitBadInput = 2;
constexpr int kExitNotTraceable = 3;
constexpr int kExitThreshold = 4;  ///< a threshold that an option sets was not met

/// Bad input. The message says where, what, what was expected and how to fix it, in one line without a final
/// stop: "mm.wtrace: byte 4096: checksum of work-group 17 does not match, expected an intact capture; capture
/// it again".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// `log`: what another program said about it, in lines; printed below the message, and part of what().
  InputError(const std::string& message, const std::string& log)
      : std::runtime_error(message + "\n" + log), message_bytes_(message.size()) {}
  [[nodiscard]] std::string message() const { return std::string(what()).substr(0, message_bytes_); }
  [[nodiscard]] std::string log() const {
    return message_bytes_ == std::string::npos ? "" : std::string(what()).substr(message_bytes_ + 1);
  }

 private:
  std::size_t message_bytes_ = std::string::npos;
};

/// The reader of our standard output has gone (EPIPE): not an error of ours, the tool ends quietly.
class ClosedPipe : public std::exception {};

}  // namespace warpscope
