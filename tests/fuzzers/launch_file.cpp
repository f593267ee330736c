// A launch file, JSON or Oclgrind's .sim, and its launch for a kernel with all kinds of arguments.
#include "tests/fuzzers/fuzzer.h"
#include "wrapper/launch/evaluated_launch.h"
#include "wrapper/launch/launch_description.h"
#include "wrapper/launch/launch_json.h"
#include "wrapper/launch/resolved_launch.h"

namespace warpscope::fuzzing {
namespace {

KernelSignature signature() {
  const auto parameter = [](ParameterSignature::Kind kind, const char* name, const char* type) {
    return ParameterSignature{kind, name, type, builtin_type(type).value_or(ElementType{})};
  };
  using Kind = ParameterSignature::Kind;
  return {"mm",
          1,
          {parameter(Kind::Buffer, "A", "float"), parameter(Kind::Buffer, "B", "int4"),
           parameter(Kind::Local, "tile", "uchar"), parameter(Kind::Value, "width", "uint"),
           parameter(Kind::Value, "scale", "float3"), parameter(Kind::Value, "shape", "struct shape")},
          std::nullopt};
}

void resolve(const std::string& path, const std::string& size) {
  const LaunchDescription launch = read_launch_file(path, size);
  LaunchLimits limits;
  limits.buffer_bytes = limits.memory_bytes = 1u << 20;
  resolve_launch(launch, signature(), limits);
}

void print(const std::string& path, const std::string& size) {
  to_json(evaluate_launch(read_launch_file(path, size)));
}

}  // namespace

void fuzz_launch_file(Bytes input) {
  const InputFile file(input);
  for (const char* name : {"", "small"}) {
    allow_refusal([&] { resolve(file.path(), name); });
    allow_refusal([&] { print(file.path(), name); });
  }
}

}  // namespace warpscope::fuzzing
