// A trace of work-items as text (Crawford 2014, listing 5.1). What is accepted must come out as it went in.
#include <cstdlib>

#include "tests/fuzzers/fuzzer.h"
#include "traces/root_trace.h"

namespace warpscope::fuzzing {
namespace {

class LineSink final : public RootTraceSink {
 public:
  void begin(Dim3 local_size) override {
    if (local_size.count() == 0) std::abort();
  }
  void record(const RootTraceRecord& record) override { root_trace_line(record); }
};

}  // namespace

void fuzz_crawford_trace(Bytes input) {
  const InputFile file(input);
  allow_refusal([&] {
    LineSink sink;
    read_root_trace(file.path(), sink);
  });
}

}  // namespace warpscope::fuzzing
