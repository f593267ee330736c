#include "tools/options/run_tool.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <boost/program_options/errors.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <system_error>

#include "tools/options/interruption.h"
#include "traces/base/printable.h"
#include "traces/base/refused.h"

namespace warpscope {
namespace {

/// A file that we open must not get the number of a standard stream that the caller closed: a report would go
/// into it. What is written to a closed one still fails.
void keep_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) return;
}

bool reader_has_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// What a tool printed through stdio or iostreams may still sit in a buffer; a full disk shows only here.
void flush_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout;
  if (!failed) return;
  const int trouble = errno;  // 0: an earlier write failed
  if (trouble == EPIPE || reader_has_gone()) throw ClosedPipe();
  throw InputError(std::string("standard output: cannot write") +
                   (trouble == 0 ? "" : std::string(": ") + std::strerror(trouble)));
}

int report_failure(const std::string& tool, const std::string& message) {
  std::cerr << tool << ": " << printable_message(message) << "\n" << std::flush;
  return kExitBadInput;
}

/// fmt::print() throws this.
int report_system_error(const std::string& tool, const std::system_error& error) {
  if (error.code().value() == EPIPE) return kExitOk;
  return report_failure(tool, error.what());
}

}  // namespace

int run_tool(const std::string& tool, const std::function<int()>& body) {
  keep_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit then fails the write like a full disk
  tidy_up_on_signals();
  try {
    const int status = body();
    flush_standard_output();
    return status;
  } catch (const ClosedPipe&) {
    return kExitOk;
  } catch (const Refused& error) {
    std::cerr << tool << ": " << error.what() << '\n';
    return kExitNotTraceable;
  } catch (const InputError& error) {
    report_failure(tool, error.message());
    std::cerr << printable_log(error.log()) << std::flush;
    return kExitBadInput;
  } catch (const boost::program_options::error& error) {
    return report_failure(tool, std::string(error.what()) + "; --help lists the options");
  } catch (const std::bad_alloc&) {
    return report_failure(tool, "out of memory, expected to need less; free some or process less at once");
  } catch (const std::system_error& error) {
    return report_system_error(tool, error);
  } catch (const std::exception& error) {
    return report_failure(tool, std::string("unexpected failure, please report it: ") + error.what());
  } catch (...) {
    return report_failure(tool, "unexpected failure of unknown kind, please report it");
  }
}

}  // namespace warpscope
