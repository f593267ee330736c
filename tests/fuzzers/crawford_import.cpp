// A trace of work-items as text (Crawford 2014, listing 5.1) becomes a capture: it keeps every invariant, and has as many accesses as
// the trace has lines, but that an atomic operation is a read and a write there.
#include "traces/crawford/crawford_import.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/fuzzers/fuzzer.h"
#include "traces/capture/invariants.h"
#include "traces/crawford/crawford_trace.h"

namespace warpscope::fuzzing {
namespace {

class LineCount final : public CrawfordTraceSink {
 public:
  void begin(Dim3 local_size) override { local_ = local_size; }
  void record(const CrawfordTraceRecord& record) override {
    using Kind = CrawfordTraceRecord::Kind;
    accesses += record.kind == Kind::Read || record.kind == Kind::Write ? 1 : 0;
  }
  /// A line may begin a work-group of 65,536 work-items. To go through millions is allowed to take its time.
  [[nodiscard]] bool has_few_work_items() const {
    constexpr std::uint64_t kMost = 1u << 19;
    return accesses == 0 || local_.count() <= kMost / accesses;
  }
  std::uint64_t accesses = 0;

 private:
  Dim3 local_;
};

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "crawford_import: {}\n", why);
  std::abort();
}

void check(const std::string& capture, std::uint64_t lines) {
  try {
    const CheckResult found = check_capture(CaptureReader(capture));
    if (found.violation_count != 0) fail(found.violations[0]);
    if (found.accesses > lines || 2 * found.accesses < lines)
      fail(fmt::format("{} accesses of {} lines", found.accesses, lines));
  } catch (const InputError& error) {
    fail(error.what());
  }
}

}  // namespace

void fuzz_crawford_import(Bytes input) {
  const InputFile file(input);
  const std::string output = fmt::format("/dev/shm/warpscope-fuzz.{}", getpid());
  allow_refusal([&] {
    LineCount count;
    read_crawford_trace(file.path(), count);
    if (!count.has_few_work_items()) return;
    import_crawford_trace(file.path(), output, std::nullopt);
    check(output, count.accesses);
  });
  std::filesystem::remove(output);
}

}  // namespace warpscope::fuzzing
