// Launch files without the kernel's source: sizes, arguments and fills by hand.
#include "wrapper/launch/evaluated_launch.h"

#include <gmock/gmock.h>

#include "traces/base/error.h"
#include "wrapper/launch/launch_json.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

EvaluatedLaunch evaluated(const std::string& text, const std::string& size = "") {
  return evaluate_launch(parse_json_launch(text, "k.launch", size));
}

std::string complaint(const std::string& text) {
  try {
    evaluated(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(EvaluatedLaunch, EvaluatesSizesScalarsAndCounts) {
  const EvaluatedLaunch launch = evaluated(
      R"json({"kernel": "k", "global": ["4*T"], "local": ["T"], "defines": {"T": 8, "TYPE": "float"},
          "args": {"a": {"count": "gx*T", "fill": "random(1, -2, b)"}, "b": "ceil_div(gx, 5)",
                   "v": [0.5, "lx"], "s": {"local": "lx*4"}, "p": {"null": true}}})json");
  EXPECT_EQ(launch.kernel, "k");
  EXPECT_EQ(launch.global, (Dim3{32, 1, 1}));
  EXPECT_EQ(launch.local, (Dim3{8, 1, 1}));
  EXPECT_THAT(launch.define_values, ElementsAre(Pair("T", Number(std::int64_t{8}))));
  ASSERT_EQ(launch.arguments.size(), 5u);
  EXPECT_EQ(launch.arguments[0].count, 256u);
  EXPECT_EQ(launch.arguments[0].fill, Fill::Kind::Random);
  EXPECT_THAT(launch.arguments[0].fill_numbers,
              ElementsAre(Number(std::int64_t{1}), Number(std::int64_t{-2}), Number(std::int64_t{7})));
  EXPECT_THAT(launch.arguments[1].values, ElementsAre(Number(std::int64_t{7})));
  EXPECT_TRUE(launch.arguments[2].is_null);
  EXPECT_TRUE(launch.arguments[3].is_local);
  EXPECT_EQ(launch.arguments[3].bytes, 32u);
  EXPECT_THAT(launch.arguments[4].values, ElementsAre(Number(0.5), Number(std::int64_t{8})));
}

TEST(EvaluatedLaunch, TakesOneOfTheFilesSizes) {
  const std::string text =
      R"({"global": 64, "local": 8, "args": {"a": {"count": "gx", "fill": "iota"}},
          "sizes": {"small": {"global": 16, "args": {"a": {"fill": "zero"}}}, "large": {"global": 128}}})";
  EXPECT_THAT(evaluated(text).sizes, ElementsAre("large", "small"));
  const EvaluatedLaunch small = evaluated(text, "small");
  EXPECT_THAT(small.sizes, ElementsAre("large", "small"));
  EXPECT_EQ(small.arguments[0].count, 16u);
  EXPECT_EQ(small.arguments[0].fill, Fill::Kind::Zero);
  EXPECT_EQ(evaluated(text, "large").arguments[0].fill, Fill::Kind::Iota);
}

TEST(EvaluatedLaunch, LeavesOpenWhatTheFileDoesNotSay) {
  const EvaluatedLaunch launch = evaluated(R"({"global": 64, "args": {"a": {"bytes": 12}}})");
  EXPECT_FALSE(launch.kernel || launch.local || launch.arguments[0].fill || launch.arguments[0].count);
}

TEST(EvaluatedLaunch, RefusesWhatTraceKernelRefuses) {
  EXPECT_THAT(complaint(R"({"local": 8})"), HasSubstr("k.launch: no \"global\", expected"));
  EXPECT_THAT(complaint(R"({"global": 9, "local": 8})"),
              HasSubstr("k.launch: global size 9 is not divisible by"));
  EXPECT_THAT(complaint(R"({"global": "n", "args": {"n": "n+1"}})"), HasSubstr("'n' depends on itself"));
  EXPECT_THAT(
      complaint(R"({"global": 8, "args": {"a": {"count": "m"}}})"),
      HasSubstr(
          "k.launch: argument 'a': 'm': unknown name 'm', expected gx, gy, gz, lx, ly, lz, a define or a "
          "scalar argument"));
  EXPECT_THROW(evaluate_launch(parse_sim_launch("k.cl\nk\n4 1 1\n4 1 1\n<size=4 int>\n1\n", "k.sim")),
               InputError);
}

TEST(EvaluatedLaunch, IsOneLineOfJson) {
  EXPECT_EQ(
      to_json(evaluated(R"({"global": [4, 2], "local": [2], "args": {"f": {"fill": "file:x"}, "n": 1.5}})")),
      R"({"arguments":[{"fill":{"kind":"file","path":"x"},"name":"f"},{"name":"n","values":[1.5]}],)"
      R"("build_options":"","define_values":{},"defines":{},"global":[4,2,1],"kernel":null,"local":[2,1,1],)"
      R"("offset":[0,0,0],"sizes":[]})");
}

}  // namespace
}  // namespace warpscope
