#include "passes/driver/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "passes/driver/subprocess.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

template <class Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Sets a variable of the environment for one test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

class Compile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "passes_test_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    setenv("WARPSCOPE_PLUGIN",
           (std::string(WARPSCOPE_BIN_DIR) + "/../lib/warpscope/libwarpscope-passes.so").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(directory_); }

  CompileRequest request_for(const std::string& source, const std::string& name = "test.cl") const {
    std::ofstream(directory_ / name) << source;
    CompileRequest request;
    request.source_path = (directory_ / name).string();
    request.work_directory = (directory_ / "out").string();
    fs::create_directories(request.work_directory);
    return request;
  }

  fs::path directory_;
};

constexpr const char* kMatrixMultiplication = R"(
kernel void mm(global const float* a, global const float* b, global float* c, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  float s = 0;
  for (int k = 0; k < n; ++k) s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
})";

TEST(BuildOptions, SplitAtSpaceOutsideQuotes) {
  EXPECT_THAT(split_build_options("-DN=4  -I \"my dir\"\t-DS=\\\"x\\\" "),
              ElementsAre("-DN=4", "-I", "my dir", "-DS=\"x\""));
  EXPECT_THAT(split_build_options(""), IsEmpty());
  EXPECT_THAT(split_build_options("-DEMPTY=\"\""), ElementsAre("-DEMPTY="));
}

TEST(OptimizeName, GoesBothWaysAndRejectsOthers) {
  EXPECT_EQ(optimize_from("gpu"), Optimize::Gpu);
  EXPECT_EQ(optimize_from(name_of(Optimize::O0)), Optimize::O0);
  EXPECT_THAT(message_of([] { optimize_from("O3"); }), AllOf(HasSubstr("O3"), HasSubstr("gpu or O0")));
}

TEST(Process, ReturnsStatusAndBothOutputs) {
  const ProcessResult result = run_process({"sh", "-c", "echo one; echo two >&2; exit 7"});
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.output, "one\ntwo\n");
}

TEST(Process, HidesTheTracingEnvironmentFromChildren) {
  const ScopedVariable preload("LD_PRELOAD", ""), layers("OPENCL_LAYERS", "libsomething.so"),
      kept("KEPT", "yes");
  const ProcessResult result = run_process({"env"});
  EXPECT_THAT(result.output,
              AllOf(Not(HasSubstr("LD_PRELOAD=")), Not(HasSubstr("OPENCL_LAYERS=")), HasSubstr("KEPT=yes")));
}

TEST(Process, NamesAProgramThatCannotBeStarted) {
  EXPECT_THAT(message_of([] { run_process({"no-such-program"}); }),
              StartsWith("no-such-program: cannot be started"));
}

TEST(Process, AFullDiskIsSaidAndACrashHasNoStackDump) {
  const std::string crash = "echo PLEASE submit a bug report; echo Stack dump:; echo 0. a; exit 134";
  for (const char* first : {"LLVM ERROR: IO failure on output stream: No space left on device",
                            "error: unable to open output file x: No space left on device"})
    EXPECT_EQ(message_of([&] {
                run_process({"sh", "-c", "echo '" + std::string(first) + "';" + crash});
              }),
              "sh: No space left on device, expected room in $TMPDIR for a compilation");
  EXPECT_EQ(run_process({"sh", "-c", "echo LLVM ERROR: broken;" + crash}).output, "LLVM ERROR: broken\n");
  EXPECT_EQ(run_process({"sh", "-c", "echo 'x.cl:1: error: No space left on device'; exit 1"}).output,
            "x.cl:1: error: No space left on device\n");
}

TEST_F(Compile, DescribesTheMatrixMultiplication) {
  const CompiledProgram program = compile_for_capture(request_for(kMatrixMultiplication));
  ASSERT_EQ(program.kernels.size(), 1U);
  const KernelInfo& kernel = program.kernels[0];
  EXPECT_EQ(kernel.name, "mm");
  ASSERT_EQ(kernel.arguments.size(), 4U);
  EXPECT_EQ(kernel.arguments[0].name, "a");
  EXPECT_EQ(kernel.arguments[0].type, "__global const float*");
  EXPECT_FALSE(kernel.arguments[3].is_pointer);
  ASSERT_EQ(kernel.sites.size(), 3U);
  EXPECT_EQ(kernel.sites[1].object.index, 1U);
  ASSERT_EQ(kernel.sites[2].locations.size(), 1U);
  EXPECT_EQ(kernel.sites[2].locations[0].file, "test.cl");
  EXPECT_EQ(kernel.sites[2].locations[0].line, 6U);
  EXPECT_EQ(program.log, "");
}

TEST_F(Compile, PutsNoDirectoryOfThisMachineIntoTheOutput) {
  const CompiledProgram program = compile_for_capture(request_for(kMatrixMultiplication));
  for (const std::string& path : {program.optimised_path, program.instrumented_path, program.kernels_path}) {
    const std::string bytes = read_file(path);
    EXPECT_GT(bytes.size(), 100U) << path;
    EXPECT_EQ(bytes.find(directory_.string()), std::string::npos) << path;
  }
}

TEST_F(Compile, IsDeterministic) {
  const CompiledProgram first = compile_for_capture(request_for(kMatrixMultiplication));
  const std::string bitcode = read_file(first.instrumented_path), kernels = read_file(first.kernels_path);
  CompileRequest again = request_for(kMatrixMultiplication);
  again.work_directory = (directory_ / "again").string();
  fs::create_directories(again.work_directory);
  const CompiledProgram second = compile_for_capture(again);
  EXPECT_TRUE(read_file(second.instrumented_path) == bitcode);
  EXPECT_EQ(read_file(second.kernels_path), kernels);
}

TEST_F(Compile, PassesTheCompilersMessageWithNameAndLine) {
  const std::string message = message_of(
      [&] { compile_for_capture(request_for("kernel void k() {\n  undefined();\n}\n", "bad.cl")); });
  EXPECT_THAT(message, AllOf(StartsWith("bad.cl: does not compile\n"), HasSubstr("\nbad.cl:2:3: error: ")));
}

TEST_F(Compile, ShowsTheNameThatTheCallerGives) {
  CompileRequest request = request_for("kernel void k() { x; }\n");
  request.source_name = "program \"3\".cl";
  EXPECT_THAT(message_of([&] { compile_for_capture(request); }), HasSubstr("program \"3\".cl:1:19: error: "));
}

TEST_F(Compile, KeepsWarningsInTheLog) {
  const CompiledProgram program = compile_for_capture(request_for("#warning look\nkernel void k() {}\n"));
  EXPECT_THAT(program.log, HasSubstr("test.cl:1:2: warning: look"));
}

TEST_F(Compile, HonoursDefinesIncludesAndLanguage) {
  std::ofstream(directory_ / "width.h") << "#define WIDTH 4\n";
  CompileRequest request = request_for(
      "#include \"width.h\"\n#if __OPENCL_C_VERSION__ != 200 || SCALE != 3\n#error wrong\n#endif\n"
      "kernel void k(global int* a) { int* p = a; p[WIDTH] = SCALE; }\n");
  request.options = {"-D", "SCALE=3", "-cl-std=CL2.0", "-cl-fast-relaxed-math", "-cl-opt-disable"};
  const CompiledProgram program = compile_for_capture(request);
  ASSERT_EQ(program.kernels.at(0).sites.size(), 1U);
  EXPECT_EQ(program.kernels[0].sites[0].space, AddressSpace::Global);
}

TEST_F(Compile, AcceptsOpenClC3) {
  CompileRequest request = request_for("kernel void k(global int* a) { a[0] = 1; }\n");
  request.options = {"-cl-std=CL3.0"};
  request.extensions = {"cl_khr_fp64", "cl_khr_byte_addressable_store"};
  EXPECT_EQ(compile_for_capture(request).kernels.size(), 1U);
}

TEST_F(Compile, SwitchesOffExtensionsThatTheDeviceLacks) {
  CompileRequest request = request_for(
      "#ifdef cl_khr_fp16\n#error fp16\n#endif\n#ifndef cl_khr_fp64\n#error fp64\n#endif\n"
      "kernel void k(global double* a) { a[0] = 1; }\n");
  request.extensions = {"cl_khr_fp64"};
  EXPECT_EQ(compile_for_capture(request).kernels.size(), 1U);
}

TEST_F(Compile, LeavesTheSourcesAccessesAtO0) {
  // A GPU's compiler reads a[i] once; the source reads it twice, and keeps a private array.
  CompileRequest request = request_for(
      "kernel void k(global int* a) {\n"
      "  int i = get_global_id(0), v[2];\n  v[0] = a[i];\n  v[1] = a[i];\n  a[i] = v[0] + v[1];\n}\n");
  EXPECT_EQ(compile_for_capture(request).kernels.at(0).sites.size(), 2U);
  request.optimize = Optimize::O0;
  const KernelInfo kernel = compile_for_capture(request).kernels.at(0);
  EXPECT_EQ(kernel.sites.size(), 3U + 4U);
  ASSERT_EQ(kernel.objects.size(), 1U);
  EXPECT_EQ(kernel.objects[0].name, "v");
  EXPECT_EQ(kernel.objects[0].size, 8U);
}

TEST_F(Compile, TakesBitcodeToo) {
  const CompiledProgram program = compile_for_capture(request_for(kMatrixMultiplication));
  CompileRequest request;
  request.source_path = (directory_ / "out/front_end.bc").string();
  request.work_directory = (directory_ / "again").string();
  fs::create_directories(request.work_directory);
  EXPECT_EQ(compile_for_capture(request).kernels.at(0).sites.size(), program.kernels.at(0).sites.size());
}

TEST_F(Compile, AcceptsASourceWithoutKernels) {
  EXPECT_THAT(compile_for_capture(request_for("")).kernels, IsEmpty());
}

TEST_F(Compile, RefusesAMissingFileAndADirectory) {
  CompileRequest request = request_for("");
  request.source_path = (directory_ / "nothing.cl").string();
  EXPECT_THAT(message_of([&] { compile_for_capture(request); }), HasSubstr("nothing.cl: cannot read"));
  request.source_path = directory_.string();
  EXPECT_THAT(message_of([&] { compile_for_capture(request); }),
              HasSubstr("cannot read, expected an OpenCL C file"));
}

TEST_F(Compile, RefusesAWorkDirectoryThatDoesNotExist) {
  CompileRequest request = request_for("kernel void k() {}");
  request.work_directory = (directory_ / "nowhere").string();
  EXPECT_THAT(message_of([&] { compile_for_capture(request); }), HasSubstr("cannot write"));
}

TEST_F(Compile, NamesThePackageOfAMissingTool) {
  const CompileRequest request = request_for("kernel void k() {}");
  const ScopedVariable path("PATH", directory_.string());
  EXPECT_THAT(message_of([&] { compile_for_capture(request); }),
              StartsWith("clang-15: not found in PATH, expected the Debian package clang-15"));
  fs::create_symlink("/usr/bin/clang-15", directory_ / "clang-15");
  EXPECT_THAT(message_of([&] { compile_for_capture(request); }),
              StartsWith("opt-15: not found in PATH, expected the Debian package llvm-15"));
}

TEST_F(Compile, NamesAPluginThatIsNotThere) {
  const CompileRequest request = request_for("kernel void k() {}");
  const ScopedVariable plugin("WARPSCOPE_PLUGIN", "/nowhere/plugin.so");
  EXPECT_THAT(message_of([&] { compile_for_capture(request); }),
              StartsWith("WARPSCOPE_PLUGIN: cannot read '/nowhere/plugin.so'"));
}

}  // namespace
}  // namespace warpscope
