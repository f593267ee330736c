#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {
namespace {

int descriptor() {
  static const int kDescriptor = memfd_create("input", 0);
  return kDescriptor;
}

}  // namespace

InputFile::InputFile(Bytes content) {
  if (ftruncate(descriptor(), 0) != 0) std::abort();
  const ssize_t written = pwrite(descriptor(), content.data(), content.size(), 0);
  if (written != static_cast<ssize_t>(content.size())) std::abort();
}

const std::string& InputFile::path() const {
  static const std::string kPath = "/proc/self/fd/" + std::to_string(descriptor());
  return kPath;
}

}  // namespace warpscope::fuzzing
