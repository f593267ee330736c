// The texts of Triton's cache next to a cubin: its metadata, or its IR.
#include "tests/fuzzers/fuzzer.h"
#include "wrapper/launch/triton/metadata.h"
#include "wrapper/launch/triton/names.h"

namespace warpscope::fuzzing {

void fuzz_triton(Bytes input) {
  const std::string text(input.begin(), input.end());
  std::size_t named = 0;
  for (const TritonArgument& argument : triton_arguments(text, "add_kernel"))
    named += argument.name.size() + argument.type.size();
  if (named > 8 * text.size()) std::abort();
  allow_refusal([&] {
    const TritonMetadata metadata = parse_triton_metadata(text, "/nonexistent/k.json");
    CudaLaunchOptions options;
    options.grid = {"4", "2"};
    LaunchDescription launch;
    apply_to_options(metadata, options, launch);
    launch.global = {"1024"};
    launch.local = {"128"};
    KernelSignature kernel{"k", 1, std::vector<ParameterSignature>(3), std::nullopt};
    apply_to_kernel(metadata, kernel, launch);
    if (metadata.work_items == 0 || metadata.work_items > 1024) std::abort();
  });
}

}  // namespace warpscope::fuzzing
