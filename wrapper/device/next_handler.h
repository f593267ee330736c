#pragma once
// Signals that a handler of ours does not keep: they go to the handler that was installed before.
#include <csignal>

namespace warpscope::device {

/// Lives as long as a handler that may hand its signal on. That other handler may hand it back, or leave with a long
/// jump. Safe in a signal handler.
class NextHandler {
 public:
  explicit NextHandler(siginfo_t* info) noexcept;
  ~NextHandler();
  NextHandler(const NextHandler&) = delete;
  NextHandler& operator=(const NextHandler&) = delete;

  /// The handler to which this signal was handed on has handed it back.
  [[nodiscard]] bool has_come_back() const noexcept { return has_come_back_; }

  /// Calls `next` with the mask of signals that it would have without us; if there is no handler, or the signal has come
  /// back, does what the signal does by default. `next` is the default afterwards if it asked for that (SA_RESETHAND).
  void call(struct sigaction& next, int signal, void* context) noexcept;

 private:
  siginfo_t* info_;
  const siginfo_t* outer_info_;
  const NextHandler* outer_;
  bool has_come_back_;
};

}  // namespace warpscope::device
