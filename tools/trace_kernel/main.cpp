// trace-kernel: one kernel file, one launch, one capture, no host program needed; or all launches of a program.
#include "passes/driver/subprocess.h"
#include "tools/options/run_tool.h"
#include "tools/trace_kernel/trace_options.h"
#include "wrapper/kernel/trace_kernel.h"
#include "wrapper/program/program_run.h"

int main(int argc, char** argv) {
  using namespace warpscope;
  return run_tool("trace-kernel", [&]() -> int {
    const auto request = trace_request_from({argv + 1, argv + argc});
    if (!request) return kExitOk;
    set_search_path();
    return request->program.empty() ? trace_kernel(*request) : run_program(*request);
  });
}
