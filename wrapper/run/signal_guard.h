#pragma once
// SIGINT, SIGTERM and SIGHUP while there is something to tidy up.
#include <array>
#include <csignal>

namespace warpscope {

/// While it lives, SIGINT, SIGTERM and SIGHUP are only noted (SIGHUP not under nohup). A second one ends the
/// process.
class SignalGuard {
 public:
  /// `also`: called in the handler with the signal's number; has to be safe there. One guard at a time.
  explicit SignalGuard(void (*also)(int) = nullptr);
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  /// The signal that came since the last guard was made; 0 = none.
  static int received();

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> old_{};
};

/// Ends the process as the signal does by itself, without a core file.
[[noreturn]] void die_of(int signal);

}  // namespace warpscope
