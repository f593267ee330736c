// A trace of work-items as text (Crawford 2014, listing 5.1). What is accepted must come out as it went in.
#include "traces/crawford/crawford_trace.h"

#include <cstdlib>

#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {
namespace {

class LineSink final : public CrawfordTraceSink {
 public:
  void begin(Dim3 local_size) override {
    if (local_size.count() == 0) std::abort();
  }
  void record(const CrawfordTraceRecord& record) override { crawford_trace_line(record); }
};

}  // namespace

void fuzz_crawford_trace(Bytes input) {
  const InputFile file(input);
  allow_refusal([&] {
    LineSink sink;
    read_crawford_trace(file.path(), sink);
  });
}

}  // namespace warpscope::fuzzing
