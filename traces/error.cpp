#include "traces/error.h"

#include <boost/program_options/errors.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>

#include "traces/refused.h"

namespace warpscope {
namespace {

// What a tool printed through stdio or iostreams may still sit in a buffer; a full disk shows only here.
int flush_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout;
  if (failed && errno != EPIPE) {
    throw InputError(std::string("standard output: cannot write: ") + std::strerror(errno));
  }
  return kExitOk;
}

}  // namespace

int run_tool(const std::string& tool, const std::function<int()>& body) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit then fails the write like a full disk
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
    std::cerr << tool << ": " << error.what() << '\n';
  } catch (const boost::program_options::error& error) {
    std::cerr << tool << ": " << error.what() << "; --help lists the options\n";
  } catch (const std::bad_alloc&) {
    std::cerr << tool << ": out of memory, expected to need less; free some or process less at once\n";
  }
  return kExitBadInput;
}

}  // namespace warpscope
