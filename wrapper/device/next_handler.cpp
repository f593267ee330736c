#include "wrapper/device/next_handler.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>

namespace warpscope::device {
namespace {

// The signal that is being handed on, and where on the stack. Initial-exec: a handler must not allocate.
constinit thread_local const siginfo_t* t_handed_on __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local const NextHandler* t_place __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr std::size_t kMaskBytes = 8;  // of the kernel's; glibc's type is larger than what the kernel writes

void default_action(int signal, const siginfo_t& info) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  // A fault comes again, because its instruction does; what was sent is sent again.
  if (info.si_code <= 0) ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), signal);
}

/// What was blocked when the signal came, and what the handler asked for.
sigset_t mask_of(const struct sigaction& handler, int signal, const void* context) {
  sigset_t blocked;
  sigemptyset(&blocked);
  std::memcpy(&blocked, &static_cast<const ucontext_t*>(context)->uc_sigmask, kMaskBytes);
  sigset_t mask;
  sigorset(&mask, &blocked, &handler.sa_mask);
  if ((handler.sa_flags & SA_NODEFER) == 0) sigaddset(&mask, signal);
  return mask;
}

}  // namespace

// A flag would not do: the other handler may leave with a long jump. One that hands back is deeper in the stack.
NextHandler::NextHandler(siginfo_t* info) noexcept
    : info_(info),
      outer_info_(t_handed_on),
      outer_(t_place),
      has_come_back_(info == t_handed_on && this < t_place) {
  t_handed_on = info;
  t_place = this;
}

NextHandler::~NextHandler() {
  t_handed_on = outer_info_;
  t_place = outer_;
}

void NextHandler::call(struct sigaction& next, int signal, void* context) noexcept {
  const bool has_handler =
      (next.sa_flags & SA_SIGINFO) != 0 || (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN);
  if (!has_handler && next.sa_handler == SIG_IGN && info_->si_code <= 0) return;
  if (!has_handler || has_come_back_) return default_action(signal, *info_);
  const struct sigaction handler = next;
  if ((handler.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    next = {};
    next.sa_handler = SIG_DFL;
  }
  const sigset_t mask = mask_of(handler, signal, context);
  sigset_t old;
  ::pthread_sigmask(SIG_SETMASK, &mask, &old);
  if ((handler.sa_flags & SA_SIGINFO) != 0)
    handler.sa_sigaction(signal, info_, context);
  else
    handler.sa_handler(signal);
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

}  // namespace warpscope::device
