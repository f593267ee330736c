#include "wrapper/launch/launch_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/base/error.h"

namespace warpscope {
namespace {

template <class Body>
std::string message_from(const Body& body) {
  try {
    body();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

using testing::ElementsAre;
using testing::HasSubstr;

TEST(JsonLaunch, ReadsSizesArgumentsAndDefines) {
  const LaunchDescription launch = parse_json_launch(R"json({
    // a comment
    "kernel": "mm", "global": [256, "gx"], "local": 16, "defines": {"TILE": 16}, "build_options": "-cl-mad-enable",
    "args": {"A": {"type": "float", "count": "gx*gy", "fill": "random(1, 0, 2)"}, "n": "gx", "v": [1, 2.5],
             "scratch": {"local": "lx*4"}, "none": {"null": true}, "seven": {"count": 3, "fill": 7}}
  })json",
                                                     "mm.launch");
  EXPECT_EQ(launch.kernel, "mm");
  EXPECT_THAT(launch.global, ElementsAre("256", "gx"));
  EXPECT_THAT(launch.local, ElementsAre("16"));
  EXPECT_EQ(launch.defines.at("TILE"), "16");
  EXPECT_EQ(launch.build_options, "-cl-mad-enable");
  EXPECT_EQ(launch.arguments.at("A").count, "gx*gy");
  EXPECT_EQ(launch.arguments.at("A").fill->kind, Fill::Kind::Random);
  EXPECT_THAT(launch.arguments.at("A").fill->parameters, ElementsAre("1", "0", "2"));
  EXPECT_EQ(launch.arguments.at("n").value, "gx");
  EXPECT_EQ(launch.arguments.at("v").value, "1,2.5");
  EXPECT_EQ(launch.arguments.at("scratch").bytes, "lx*4");
  EXPECT_TRUE(launch.arguments.at("none").is_null);
  EXPECT_EQ(launch.arguments.at("seven").fill->kind, Fill::Kind::Constant);
}

TEST(JsonLaunch, NamesFileLineAndKey) {
  EXPECT_THAT(message_from([] { parse_json_launch("{\n\"global\": [1,\n}", "x.launch"); }),
              HasSubstr("x.launch:3: not valid JSON"));
  EXPECT_THAT(message_from([] { parse_json_launch("{\"globals\": 1}", "x.launch"); }),
              HasSubstr("x.launch: unknown key 'globals', expected kernel, global"));
  EXPECT_THAT(message_from([] { parse_json_launch("{\"args\": {\"A\": {\"size\": 4}}}", "x.launch"); }),
              HasSubstr("argument 'A': unknown key 'size'"));
  EXPECT_THAT(
      message_from([] { parse_json_launch("{\"args\": {\"A\": {\"fill\": \"rand(1)\"}}}", "x.launch"); }),
      HasSubstr("fill 'rand(1)', expected zero"));
  EXPECT_THAT(message_from([] { parse_json_launch("{\"args\": {\"A\": {\"null\": 1}}}", "x.launch"); }),
              HasSubstr("argument 'A': null is 1, expected true or false"));
  EXPECT_THAT(message_from([] { parse_json_launch("{\"global\": [1,2,3,4]}", "x.launch"); }),
              HasSubstr("one to three"));
  EXPECT_THAT(message_from([] { parse_json_launch("[1]", "x.launch"); }),
              HasSubstr("expected a JSON object"));
  EXPECT_THAT(message_from([] { parse_json_launch("{\"args\": [1]}", "x.launch"); }),
              HasSubstr("args: expected an object"));
}

// The format as documented by Oclgrind 21.10's reader, its class Simulation.
constexpr const char* kSizes = R"json({
    "global": [64, 64], "local": 16, "defines": {"TILE": 16, "KEYS": 4},
    "args": {"A": {"count": "gx*gy", "fill": "iota"}, "n": "gx"},
    "sizes": {"small": {"global": 32, "defines": {"TILE": 8}, "args": {"A": {"fill": "zero"}, "n": 3}}, "large": {}}
  })json";

TEST(JsonLaunch, SizesReplaceWhatTheySay) {
  const LaunchDescription medium = parse_json_launch(kSizes, "mm.launch");
  EXPECT_THAT(medium.global, ElementsAre("64", "64"));
  EXPECT_EQ(medium.defines.at("TILE"), "16");
  const LaunchDescription small = parse_json_launch(kSizes, "mm.launch", "small");
  EXPECT_THAT(small.global, ElementsAre("32"));
  EXPECT_THAT(small.local, ElementsAre("16"));
  EXPECT_EQ(small.defines.at("TILE"), "8");
  EXPECT_EQ(small.defines.at("KEYS"), "4");
  EXPECT_EQ(small.arguments.at("A").count, "gx*gy");
  EXPECT_EQ(small.arguments.at("A").fill->kind, Fill::Kind::Zero);
  EXPECT_EQ(small.arguments.at("n").value, "3");
  EXPECT_THAT(parse_json_launch(kSizes, "mm.launch", "large").global, ElementsAre("64", "64"));
}

TEST(JsonLaunch, NamesSizesThatThereAre) {
  EXPECT_THAT(message_from([] { parse_json_launch(kSizes, "mm.launch", "tiny"); }),
              HasSubstr("mm.launch: no size 'tiny', expected large, small"));
  EXPECT_THAT(message_from([] { parse_json_launch("{}", "mm.launch", "tiny"); }),
              HasSubstr("expected --global"));
  EXPECT_THAT(
      message_from([] { parse_json_launch(R"({"sizes": {"small": {"kernel": "k"}}})", "mm.launch"); }),
      HasSubstr("mm.launch: size 'small': unknown key 'kernel', expected global, local, offset"));
  EXPECT_THAT(message_from([] { parse_json_launch(R"({"sizes": {"small": 3}})", "mm.launch"); }),
              HasSubstr("size 'small': expected an object"));
}

TEST(SimLaunch, ReadsHeadersFillsRangesAndValues) {
  const std::string text =
      "vecadd.cl\nvecadd  # the kernel\n4 1 1\n2 1 1\n\n"
      "<size=16 float>\n1 2 3\n4.5\n<size=16 range=0:2:6 uint>\n<size=16 fill=0 dump>\n<size=4 "
      "hex>\nff\n<size=64 noinit>\n<null>\n";
  ASSERT_TRUE(looks_like_sim(text));
  const LaunchDescription launch = parse_sim_launch(text, "v.sim");
  EXPECT_EQ(launch.program, "vecadd.cl");
  EXPECT_EQ(launch.kernel, "vecadd");
  EXPECT_THAT(launch.global, ElementsAre("4", "1", "1"));
  EXPECT_THAT(launch.local, ElementsAre("2", "1", "1"));
  ASSERT_EQ(launch.positional.size(), 6u);
  EXPECT_EQ(launch.positional[0].value, "1,2,3,4.5");
  EXPECT_EQ(launch.positional[0].type, "float");
  EXPECT_EQ(launch.positional[0].bytes, "16");
  EXPECT_EQ(launch.positional[1].fill->kind, Fill::Kind::Range);
  EXPECT_THAT(launch.positional[1].fill->parameters, ElementsAre("0", "2", "6"));
  EXPECT_EQ(launch.positional[2].fill->kind, Fill::Kind::Constant);
  EXPECT_EQ(launch.positional[3].value, "0xff");
  EXPECT_EQ(launch.positional[4].fill->kind, Fill::Kind::None);
  EXPECT_TRUE(launch.positional[5].is_null);
}

TEST(SimLaunch, NamesFileAndLine) {
  const std::string start = "a.cl\nk\n4 1 1\n1 1 1\n";
  EXPECT_THAT(message_from([&] { parse_sim_launch(start + "<fill=0>", "v.sim"); }),
              HasSubstr("v.sim:5: the argument's header has no size"));
  EXPECT_THAT(message_from([&] { parse_sim_launch(start + "<size=4 sized>", "v.sim"); }),
              HasSubstr("v.sim:5: 'sized', expected size="));
  EXPECT_THAT(message_from([&] { parse_sim_launch(start + "1 2", "v.sim"); }),
              HasSubstr("expected the header"));
  EXPECT_THAT(message_from([&] { parse_sim_launch(start + "<size=4", "v.sim"); }), HasSubstr("no '>'"));
  EXPECT_THAT(message_from([&] { parse_sim_launch("a.cl\nk\n4 x", "v.sim"); }),
              HasSubstr("v.sim:3: 'x', expected a size"));
  EXPECT_THAT(message_from([&] { parse_sim_launch("a.cl\nk\n4", "v.sim"); }), HasSubstr("the file ends"));
}

TEST(SimLaunch, IsToldFromOpenClAndJson) {
  EXPECT_FALSE(looks_like_sim("__kernel void k(__global int* a) { a[0] = 1; }"));
  EXPECT_FALSE(looks_like_sim("{ \"global\": 1 }"));
  EXPECT_FALSE(looks_like_sim("// 1 2 3 4 5 6 7 8"));
  EXPECT_FALSE(looks_like_sim(""));
  EXPECT_FALSE(looks_like_sim("some words"));
  EXPECT_TRUE(looks_like_sim("a.cl k 4 1 1")) << "cut short";
}

TEST(Dimensions, TakeCommasAndThePrintedForm) {
  const std::vector<std::string> two = {"256", "8"};
  EXPECT_EQ(parse_dimensions("256,8", "--global"), two);
  EXPECT_EQ(parse_dimensions("256x8", "--global"), two);
  EXPECT_EQ(parse_dimensions("lx*2,ly", "--global"), (std::vector<std::string>{"lx*2", "ly"}));
  for (const char* wrong : {"256x", "x8", "1x2x3x4", "1,2,3,4"})
    EXPECT_EQ(message_from([&] { parse_dimensions(wrong, "--global"); }),
              std::string("--global: '") + wrong + "', expected one to three sizes such as 256,256");
}

TEST(ArgumentOption, TakesShortAndLongForms) {
  const auto [name, scalar] = parse_argument_option("width=gx*2");
  EXPECT_EQ(name, "width");
  EXPECT_EQ(scalar.value, "gx*2");
  const auto buffer = parse_argument_option("A=count=gx*gy,fill=random(1,0,5),type=uint").second;
  EXPECT_EQ(buffer.count, "gx*gy");
  EXPECT_THAT(buffer.fill->parameters, ElementsAre("1", "0", "5"));
  EXPECT_EQ(buffer.type, "uint");
  EXPECT_EQ(parse_argument_option("A=iota").second.fill->kind, Fill::Kind::Iota);
  EXPECT_EQ(parse_argument_option("A=file:in.bin").second.fill->path, "in.bin");
  EXPECT_EQ(parse_argument_option("v=1,2,3").second.value, "1,2,3");
  EXPECT_TRUE(parse_argument_option("A=null").second.is_null);
  EXPECT_THROW(parse_argument_option("width"), InputError);
  EXPECT_THROW(parse_argument_option("=3"), InputError);
  EXPECT_THROW(parse_argument_option("A=length=3"), InputError);
}

TEST(Merge, OptionsWinAndFillGaps) {
  LaunchDescription options;
  options.global = {"512", "512"};
  options.arguments["A"] = parse_argument_option("A=random(7)").second;
  options.defines["TILE"] = "8";
  const LaunchDescription file = parse_json_launch(
      R"({"global": 256, "local": [16, 16], "defines": {"TILE": 16}, "args": {"A": {"count": "gx", "fill": "zero"}, "n": 3}})",
      "f");
  const LaunchDescription merged = merge(options, file);
  EXPECT_THAT(merged.global, ElementsAre("512", "512"));
  EXPECT_THAT(merged.local, ElementsAre("16", "16"));
  EXPECT_EQ(merged.defines.at("TILE"), "8");
  EXPECT_EQ(merged.arguments.at("A").count, "gx");
  EXPECT_EQ(merged.arguments.at("A").fill->kind, Fill::Kind::Random);
  EXPECT_EQ(merged.arguments.at("n").value, "3");
}

}  // namespace
}  // namespace warpscope
