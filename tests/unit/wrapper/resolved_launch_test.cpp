#include "wrapper/launch/resolved_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "traces/base/error.h"
#include "wrapper/launch/missing_arguments.h"

namespace warpscope {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using Kind = ParameterSignature::Kind;

ParameterSignature parameter(Kind kind, const std::string& name, const std::string& element) {
  return {kind, name, kind == Kind::Value ? element : "__global " + element + "*", *builtin_type(element)};
}

KernelSignature mm() {
  return {"mm",
          1,
          {parameter(Kind::Buffer, "A", "float"), parameter(Kind::Buffer, "C", "float"),
           parameter(Kind::Local, "scratch", "float"), parameter(Kind::Value, "width", "uint"),
           parameter(Kind::Value, "scale", "float2")},
          std::nullopt};
}

constexpr const char* kLaunch = R"({"global": [64, 32], "local": [8, 4], "args": {
  "A": {"count": "width*gy", "fill": "iota"}, "C": {"count": "width*width"}, "scratch": {"local": "lx*ly*4"},
  "width": "gx/2", "scale": [0.5, "width"]}})";

ResolvedLaunch resolve(const std::string& options_json, const KernelSignature& kernel = mm(),
                       const char* file = kLaunch) {
  const LaunchDescription launch =
      merge(parse_json_launch(options_json, "options"), parse_json_launch(file, "mm.launch"));
  return resolve_launch(launch, kernel, LaunchLimits{});
}

std::string resolve_message(const std::string& options_json, const KernelSignature& kernel = mm(),
                            const char* file = kLaunch) {
  try {
    resolve(options_json, kernel, file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ResolveLaunch, EvaluatesSizesOverSizesAndScalars) {
  const ResolvedLaunch launch = resolve("{}");
  EXPECT_EQ(launch.global, (Dim3{64, 32, 1}));
  EXPECT_EQ(launch.dimensions, 2u);
  EXPECT_EQ(launch.arguments[0].size, 32u * 32 * 4);
  EXPECT_EQ(launch.arguments[1].size, 32u * 32 * 4);
  EXPECT_EQ(launch.arguments[2].size, 128u);
  EXPECT_EQ(launch.arguments[3].text, "32");
  EXPECT_EQ(launch.arguments[3].bytes, (std::vector<std::uint8_t>{32, 0, 0, 0}));
  EXPECT_EQ(launch.arguments[4].text, "0.5,32");
}

TEST(ResolveLaunch, RescalesWithTheGlobalSizeAlone) {
  const ResolvedLaunch launch = resolve(R"({"global": [128, 64]})");
  EXPECT_EQ(launch.arguments[0].size, 64u * 64 * 4);
  EXPECT_EQ(launch.arguments[3].text, "64");
}

TEST(ResolveLaunch, InfersLocalSizeBufferCountAndFill) {
  const ResolvedLaunch launch =
      resolve(R"({"global": [48, 20]})", mm(), R"({"args": {"width": 1, "scale": 1, "scratch": 16}})");
  EXPECT_EQ(launch.local, (Dim3{16, 4, 1}));
  EXPECT_THAT(launch.notes, testing::Contains(HasSubstr("local size 16,4,1")));
  EXPECT_EQ(launch.arguments[4].text, "1,1");
}

TEST(ResolveLaunch, LeavesBuffersOpenUntilTheirAccessesAreKnown) {
  const LaunchDescription given =
      parse_json_launch(R"({"global": [48, 20], "args": {"width": 1, "scale": 1, "scratch": 16}})", "f");
  const ResolvedLaunch open = resolve_launch(given, mm(), LaunchLimits{});
  EXPECT_EQ(open.arguments[0].size, 0u);
  EXPECT_TRUE(open.arguments[0].bytes.empty());
  // 4,000,001 bytes of floats end in the 1,000,001st; a buffer that nobody accesses has one.
  const ResolvedLaunch launch = resolve_launch(given, mm(), LaunchLimits{}, {{"A", 4000001}, {"C", 0}});
  EXPECT_EQ(launch.arguments[0].size, 4000004u);
  EXPECT_EQ(launch.arguments[0].bytes.size(), 4000004u);
  EXPECT_EQ(launch.arguments[1].size, 4u);
  EXPECT_THAT(launch.notes, testing::Contains("A: 1,000,001 elements, from its accesses"));
  EXPECT_THAT(launch.notes, testing::Contains("C: 1 element, is not accessed"));
}

TEST(ResolveLaunch, TakesTheRequiredLocalSize) {
  KernelSignature kernel = mm();
  kernel.required_local = {{16, 2, 1}};
  EXPECT_THAT(resolve_message("{}", kernel),
              HasSubstr("local size 8x4x1, expected 16x2x1 (reqd_work_group_size)"));
  LaunchDescription launch = parse_json_launch(kLaunch, "f");
  launch.local.clear();
  EXPECT_EQ(resolve_launch(launch, kernel, LaunchLimits{}).local, (Dim3{16, 2, 1}));
}

TEST(ResolveLaunch, AsksForWhatIsMissingByName) {
  EXPECT_THAT(
      resolve_message("{}", mm(), "{}"),
      testing::AllOf(
          HasSubstr("number of work-items is not known; the size of local memory 'scratch' "),
          EndsWith(
              ", expected for example --global 1024 --arg scratch=1024 --arg width=1024 --arg scale=1")));
  EXPECT_THAT(resolve_message("{}", mm(), R"({"global": 8, "args": {"scratch": 4}})"),
              HasSubstr("argument 'width' (uint) has no value"));
  EXPECT_THAT(resolve_message("{}", mm(), R"({"global": 8, "args": {"width": 4, "scale": 1}})"),
              HasSubstr("size of local memory 'scratch'"));
  // All in one line.
  EXPECT_THAT(resolve_message("{}", mm(), R"({"global": 8})"),
              EndsWith("(uint) has no value; argument 'scale' (float2) has no value, expected for example "
                       "--arg scratch=1024 --arg width=8 --arg scale=1"));
}

TEST(MissingArguments, AreAskedForWithAnExampleInWholeWorkGroups) {
  const LaunchExample plane{2, false, "warpscope mm.cl"}, cuda{2, true, ""};
  const auto message = [](const KernelSignature& kernel, const LaunchExample& example,
                          const std::vector<std::string>& local) {
    LaunchDescription launch;
    launch.local = local;
    return missing_arguments(launch, kernel, true, std::nullopt, example);
  };
  EXPECT_THAT(message(mm(), plane, {}),
              HasSubstr(", expected for example: warpscope mm.cl --global 64,64 --arg A=count=4096"));
  EXPECT_THAT(message(mm(), cuda, {}),
              HasSubstr(", expected for example --grid 4,4 --block 16,16 --arg A=count=4096"));
  // 11 groups of 6 and 1 of 100.
  EXPECT_THAT(message(mm(), cuda, {"6", "100"}), HasSubstr(", expected for example --global 66,100 "));
  EXPECT_THAT(message(mm(), plane, {"TILE"}), HasSubstr(" --global 64,64 "));
  KernelSignature cube = mm();
  cube.required_local = {{8, 1, 3}};
  EXPECT_THAT(message(cube, {}, {}), HasSubstr(" --global 1024,1,3 "));
  for (ParameterSignature& parameter : cube.parameters) parameter.element = *builtin_type("uchar4");
  EXPECT_THAT(message(cube, {}, {}),
              testing::AllOf(HasSubstr("--arg scratch=96 "), HasSubstr("--arg width=1 ")));
}

TEST(MissingArguments, HaveAnExampleOfAsManyDimensionsAsTheSourceAsksFor) {
  for (const char* one : {"", "int i = get_global_id(0);", "x = get_global_size(1);", "v.y = threadIdx.x;"})
    EXPECT_EQ(dimensions_of(one), 1u) << one;
  for (const char* two : {"get_global_id(0) + get_global_id( 1)", "get_group_id(1)", "blockIdx.y * 2"})
    EXPECT_EQ(dimensions_of(two), 2u) << two;
  for (const char* three : {"get_local_id(2)", "threadIdx.z"}) EXPECT_EQ(dimensions_of(three), 3u) << three;
}

TEST(ResolveLaunch, RejectsImpossibleSizes) {
  EXPECT_THAT(resolve_message(R"({"global": [100, 32]})"),
              HasSubstr("global size 100 is not divisible by local size 8 in dimension x, expected a "
                        "multiple such as 104"));
  EXPECT_THAT(resolve_message(R"({"global": [0, 32]})"),
              HasSubstr("global size x: '0' is 0, expected a whole number from 1"));
  EXPECT_THAT(resolve_message(R"({"local": [0, 1]})"), HasSubstr("local size x: '0' is 0"));
  EXPECT_THAT(resolve_message(R"({"global": [8192, 1], "local": [8192, 1]})"),
              HasSubstr("8192 work-items per work-group, expected at most 4096"));
  EXPECT_THAT(resolve_message(R"({"global": [1099511627776, 1099511627776]})"),
              HasSubstr("137438953472x274877906944x1 work-groups, expected at most 2^32"));
  EXPECT_THAT(resolve_message(R"({"global": [65536, 65536, 2], "local": [1, 1, 1]})"),
              HasSubstr("65536x65536x2 work-groups, expected at most 2^32"));
  EXPECT_THAT(
      resolve_message(R"({"global": [2147483640, 1], "offset": [8, 0], "local": [8, 1]})"),
      HasSubstr(
          "global size 2147483640 and global offset 8 in dimension x, expected at most 2^31 - 1 together"));
}

TEST(ResolveLaunch, RejectsBuffersThatDoNotFitIntoMemory) {
  const LaunchDescription launch = parse_json_launch(kLaunch, "mm.launch");
  LaunchLimits limits;
  limits.memory_bytes = 8192;  // exactly A and C
  EXPECT_NO_THROW(resolve_launch(launch, mm(), limits));
  limits.memory_bytes = 8191;
  try {
    resolve_launch(launch, mm(), limits);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "mm.launch: argument 'C': 'C' has 4096 bytes, expected at most 4095: more do not fit into "
                 "memory in addition to 4096 bytes of other buffers");
  }
  EXPECT_THAT(resolve_message(R"({"args": {"A": {"bytes": "gx*gx*gx*gx*gx*gx*gx"}}})"),
              HasSubstr("expected a whole number from 1 to 2^40"));
  EXPECT_THAT(resolve_message(R"({"args": {"A": {"count": 1099511627776}}})"), HasSubstr("argument 'A': "));
}

TEST(ResolveLaunch, RejectsArgumentsThatDoNotFitTheKernel) {
  EXPECT_THAT(
      resolve_message(R"({"args": {"B": 1}})"),
      HasSubstr(
          "options: argument 'B': kernel 'mm' has no argument 'B', expected one of (__global float* A,"));
  EXPECT_THAT(resolve_message(R"({"args": {"width": {"count": 4}}})"),
              HasSubstr("'width' is a value of type uint"));
  EXPECT_THAT(resolve_message(R"({"args": {"width": 1.5}})"), HasSubstr("1.5 is not a whole number"));
  EXPECT_THAT(resolve_message(R"({"args": {"width": 5000000000}})"), HasSubstr("does not fit into uint"));
  EXPECT_THAT(resolve_message(R"({"args": {"scale": [1, 2, 3]}})"), HasSubstr("3 values, expected 2"));
  EXPECT_THAT(resolve_message(R"({"args": {"width": "width+1"}})"), HasSubstr("depends on itself"));
  EXPECT_THAT(resolve_message(R"({"args": {"A": {"count": 0}}})"), HasSubstr("'0' is 0"));
  EXPECT_THAT(resolve_message(R"({"args": {"A": {"type": "quad"}}})"), HasSubstr("unknown type 'quad'"));
  EXPECT_THAT(resolve_message(R"({"args": {"A": "file:no-such-folder/A.bin"}})"), testing::Not("no error"));
}

TEST(ResolveLaunch, TakesPositionalArgumentsOfSimFiles) {
  KernelSignature kernel{
      "add", 1, {parameter(Kind::Buffer, "a", "float"), parameter(Kind::Value, "n", "int")}, std::nullopt};
  const ResolvedLaunch launch =
      resolve_launch(parse_sim_launch("a.cl add 4 1 1 2 1 1 <size=16> 1 2 3 4.5 <size=4> -7", "a.sim"),
                     kernel, LaunchLimits{});
  float values[4];
  std::memcpy(values, launch.arguments[0].bytes.data(), sizeof values);
  EXPECT_THAT(values, testing::ElementsAre(1, 2, 3, 4.5));
  EXPECT_EQ(launch.arguments[1].text, "-7");
  EXPECT_EQ(launch.dimensions, 1u);
  try {
    resolve_launch(parse_sim_launch("a.cl add 4 1 1 2 1 1 <size=16 fill=0>", "a.sim"), kernel,
                   LaunchLimits{});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.sim: 1 arguments, expected 2 for kernel 'add'"));
  }
}

TEST(ChooseKernel, ListsTheKernels) {
  KernelSignature other = mm();
  other.name = "other";
  LaunchDescription launch;
  EXPECT_EQ(choose_kernel({other}, launch, "f.cl").name, "other");
  EXPECT_THROW(choose_kernel({}, launch, "f.cl"), InputError);
  try {
    choose_kernel({mm(), other}, launch, "f.cl");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f.cl: 2 kernels, expected --kernel with one of: mm, other");
  }
  launch.kernel = "none";
  try {
    choose_kernel({mm(), other}, launch, "f.cl");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f.cl: no kernel 'none', expected one of: mm, other");
  }
}

}  // namespace
}  // namespace warpscope
