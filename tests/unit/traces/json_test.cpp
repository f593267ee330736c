#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/program/capture.h"

namespace warpscope {
namespace {

TEST(KernelJson, RoundTripsByteForByte) {
  const nlohmann::json json = to_json(testing::sample_kernel());
  EXPECT_EQ(dump(to_json(kernel_info_from_json(json))), dump(json));
}

TEST(KernelJson, KeepsEveryFieldOfASite) {
  KernelInfo kernel = testing::sample_kernel();
  kernel.sites[0].is_volatile = true;
  kernel.sites[0].is_streaming = true;
  kernel.sites[0].is_bypass = true;
  kernel.sites[0].locations = {{"a:b.cl", 3, 7}, {"c.h", 9, 1}};
  const SiteInfo site = kernel_info_from_json(to_json(kernel)).sites[0];
  EXPECT_TRUE(site.is_volatile && site.is_streaming && site.is_bypass);
  ASSERT_EQ(site.locations.size(), 2u);
  EXPECT_EQ(site.locations[0].file, "a:b.cl");
  EXPECT_EQ(site.locations[0].line, 3u);
  EXPECT_EQ(site.locations[1].column, 1u);
  EXPECT_EQ(site.object.kind, StaticObject::Kind::Argument);
  ASSERT_TRUE(site.earliest.has_value());
  EXPECT_EQ(site.earliest->block, BlockId(1));
  ASSERT_EQ(site.consumers.size(), 1u);
  EXPECT_EQ(site.consumers[0].block, BlockId(2));
}

TEST(KernelJson, IgnoresUnknownKeys) {
  nlohmann::json json = to_json(testing::sample_kernel());
  json["from_the_future"] = 1;
  json["sites"][0]["also"] = {1, 2};
  EXPECT_EQ(dump(to_json(kernel_info_from_json(json))), dump(to_json(testing::sample_kernel())));
}

struct BadKernel {
  const char* pointer;
  nlohmann::json value;
  const char* message;
};

class RefusedKernel : public ::testing::TestWithParam<BadKernel> {};

TEST_P(RefusedKernel, SaysWhereAndWhat) {
  nlohmann::json json = to_json(testing::sample_kernel());
  json[nlohmann::json::json_pointer(GetParam().pointer)] = GetParam().value;
  try {
    (void)kernel_info_from_json(json);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Json, RefusedKernel,
    ::testing::Values(BadKernel{"/name", 3, "kernel: key 'name' is 3, expected a string"},
                      BadKernel{"/blocks", nlohmann::json::array(), "at least one block"},
                      BadKernel{"/blocks/1/successors",
                                {2, 9},
                                "kernel.blocks[1].successors[1] is 9, expected a number from 0 to 4"},
                      BadKernel{"/blocks/1/successors", -1, "is -1, expected an array"},
                      BadKernel{"/blocks/1/loop", 1, "index into loops"},
                      BadKernel{"/blocks/1/sites", {0, 1}, "in 2 blocks"},
                      BadKernel{"/blocks/1/sites", nlohmann::json::array(), "in 0 blocks"},
                      BadKernel{"/blocks/1/mix/int_alu", "x", "expected a number"},
                      BadKernel{"/sites/0/kind", "lod", "'lod' is unknown, expected one of load, store"},
                      BadKernel{"/sites/0/space", "globl", "address space 'globl'"},
                      BadKernel{"/sites/0/alignment", 3, "power of two"},
                      BadKernel{"/sites/0/width", 0, "at least one byte"},
                      BadKernel{"/sites/0/locations/0", "a.cl", "file:line:column"},
                      BadKernel{"/sites/0/point", {1, 6}, "from 0 to 5"},
                      BadKernel{"/sites/0/point", {5, 0}, "from 0 to 4"},
                      BadKernel{"/sites/0/object/index", 2, "index into arguments"},
                      BadKernel{"/loops/0/parent", 0, "contain each other"},
                      BadKernel{"/loops/0/parent", 5, "does not exist"}));

TEST(LaunchJson, RoundTripsByteForByte) {
  const nlohmann::json json = to_json(testing::sample_launch(3, 4, 8));
  EXPECT_EQ(dump(to_json(launch_info_from_json(json))), dump(json));
}

TEST(LaunchJson, RefusesAGlobalSizeThatIsNoMultipleOfTheLocalSize) {
  nlohmann::json json = to_json(testing::sample_launch(0, 4, 8));
  json["global"][0] = 33;
  EXPECT_THROW((void)launch_info_from_json(json), InputError);
}

TEST(LaunchJson, RefusesZeroAndOverflowingSizes) {
  for (const char* key : {"global", "local"}) {
    nlohmann::json json = to_json(testing::sample_launch(0, 4, 8));
    json[key][1] = 0;
    EXPECT_THROW((void)launch_info_from_json(json), InputError);
  }
  nlohmann::json json = to_json(testing::sample_launch(0, 4, 8));
  const std::uint64_t huge = std::uint64_t{1} << 32;
  json["global"] = {huge, huge, huge};  // the product is 0 modulo 2^64
  EXPECT_THROW((void)launch_info_from_json(json), InputError);
  json["global"] = {huge, 1, 1};
  json["local"] = {huge, 1, 1};
  EXPECT_THROW((void)launch_info_from_json(json), InputError);
}

TEST(LaunchJson, WantsOneArgumentAndOneObjectPerDeclaration) {
  for (const char* key : {"arguments", "objects"}) {
    nlohmann::json json = to_json(testing::sample_launch(0, 4, 8));
    json[key] = nlohmann::json::array();
    EXPECT_THROW((void)launch_info_from_json(json), InputError);
  }
}

TEST(BufferJson, RoundTripsAndRefusesBadIds) {
  const BufferInfo buffer = testing::sample_buffers()[1];
  nlohmann::json json = to_json(buffer);
  EXPECT_EQ(dump(to_json(buffer_info_from_json(json))), dump(json));
  json["id"] = 0;
  EXPECT_THROW((void)buffer_info_from_json(json), InputError);
  json["id"] = 1u << 22;
  EXPECT_THROW((void)buffer_info_from_json(json), InputError);
}

TEST(OutcomeBits, AreTheCeilingOfTheLogarithm) {
  const std::vector<std::uint32_t> expected = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
  for (std::size_t successors = 0; successors < expected.size(); ++successors) {
    EXPECT_EQ(outcome_bits(successors), expected[successors]) << successors;
  }
}

TEST(Dump, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(dump(nlohmann::json("a\xff")), "\"a\xef\xbf\xbd\"");
}

std::string why_not_parsed(const std::string& text, JsonComments comments = JsonComments::Refused) {
  try {
    (void)parse_json(text, "file", comments);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "parsed";
}

std::string nested_json(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, TakesADepthOf64AndNoMore) {
  EXPECT_EQ(why_not_parsed(nested_json(64)), "parsed");
  EXPECT_THAT(why_not_parsed(nested_json(65)),
              ::testing::HasSubstr("nested more than 64 deep, expected less: byte 65"));
  EXPECT_THAT(why_not_parsed(nested_json(100000)), ::testing::HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(why_not_parsed(std::string(100000, '[')), ::testing::HasSubstr("nested more than 64 deep"));
  // What only looks like nesting.
  const std::string brackets(100, '[');
  EXPECT_EQ(why_not_parsed("[\"" + brackets + "\\\"" + brackets + "\"]"), "parsed");
  EXPECT_EQ(why_not_parsed("// " + brackets + "\n[1] /* " + brackets + " */", JsonComments::Ignored),
            "parsed");
  std::string siblings = "[";
  for (int i = 0; i < 100; ++i) siblings += "[],{},";
  EXPECT_EQ(why_not_parsed(siblings + "1]"), "parsed");
}

TEST(ParseJson, TakesFiniteNumbersOnly) {
  EXPECT_EQ(why_not_parsed("[1e308, 18446744073709551615]"), "parsed");
  EXPECT_EQ(why_not_parsed("[1e999]"), "file: a number is too large, expected finite numbers");
  EXPECT_EQ(why_not_parsed("{\"a\": -1e999}"), "file: a number is too large, expected finite numbers");
}

TEST(ParseJson, LimitsTheNumberOfValues) {
  std::string text = "[0";
  text.reserve(2 * kMostJsonValues + 8);
  for (std::size_t i = 0; i < kMostJsonValues; ++i) text += ",0";
  EXPECT_THAT(why_not_parsed(text + "]"), ::testing::HasSubstr("more than 16777216 values"));
}

TEST(ParseJson, SaysWhereItIsNotJson) {
  EXPECT_EQ(why_not_parsed("{\"a\": }"), "file: not JSON: byte 7");
  EXPECT_EQ(why_not_parsed("// no"), "file: not JSON: byte 1");
  EXPECT_EQ(why_not_parsed(""), "file: not JSON: byte 1");
}

TEST(KernelJson, KeepsWhatIsKnownOfDependences) {
  KernelInfo kernel = testing::sample_kernel();
  kernel.blocks[1].parallelism = {{{"load_global", 1}, {"branch", 1}}, 3, 1, 2};
  kernel.blocks[1].branch_from = {SiteId(0), SiteId(4)};
  kernel.sites[1].address_from = {{SiteId(0)}, {SiteId(3)}, {SiteId(4)}, true};
  kernel.sites[3].address_from.emplace();
  const KernelInfo read = kernel_info_from_json(to_json(kernel));
  EXPECT_FALSE(read.blocks[0].parallelism.has_value());
  const BlockParallelism found = read.blocks[1].parallelism.value();
  EXPECT_EQ(found.path, kernel.blocks[1].parallelism->path);
  EXPECT_EQ(found.loads, 3u);
  EXPECT_EQ(found.load_steps, 1u);
  EXPECT_EQ(found.load_groups, 2u);
  EXPECT_EQ(read.blocks[1].branch_from, kernel.blocks[1].branch_from);
  EXPECT_FALSE(read.sites[0].address_from.has_value());
  EXPECT_EQ(read.sites[1].address_from->value, kernel.sites[1].address_from->value);
  EXPECT_EQ(read.sites[1].address_from->part, kernel.sites[1].address_from->part);
  EXPECT_EQ(read.sites[1].address_from->choice, kernel.sites[1].address_from->choice);
  EXPECT_TRUE(read.sites[1].address_from->work_item);
  EXPECT_TRUE(read.sites[3].address_from.has_value());
}

TEST(KernelJson, KeepsWhereWorkItemsMeet) {
  KernelInfo kernel = testing::sample_kernel();
  kernel.blocks[1].meetings = {{2, 0xffff0000u, false}, {3, 0, false}, {4, 0, true}};
  const nlohmann::json json = to_json(kernel);
  EXPECT_EQ(
      json["blocks"][1]["meetings"],
      nlohmann::json::parse(
          R"([{"position": 2, "mask": 4294901760}, {"position": 3}, {"position": 4, "of_group": true}])"));
  EXPECT_FALSE(json["blocks"][0].contains("meetings"));
  EXPECT_EQ(to_json(kernel_info_from_json(json)), json);
  nlohmann::json beyond = json;
  beyond["blocks"][1]["meetings"][0]["position"] = 6;  // of 5 instructions
  EXPECT_THROW(kernel_info_from_json(beyond), InputError);
}

TEST(KernelJson, RefusesDependencesThatCannotBe) {
  KernelInfo kernel = testing::sample_kernel();
  kernel.blocks[1].parallelism = {{{"load_global", 1}}, 3, 1, 2};
  kernel.sites[1].address_from = {{SiteId(0)}, {}, {}, false};
  const nlohmann::json good = to_json(kernel);
  EXPECT_NO_THROW((void)kernel_info_from_json(good));
  const auto refused = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = good;
    json[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THROW((void)kernel_info_from_json(json), InputError) << pointer << " " << value;
  };
  refused("/blocks/1/parallelism", 3);
  refused("/blocks/1/parallelism/path", 3);
  refused("/blocks/1/parallelism/path/load_global", (1u << 24) + 1);
  refused("/blocks/1/parallelism/load_steps", 4);
  refused("/blocks/1/parallelism/load_steps", 0);
  refused("/blocks/1/parallelism/load_groups", 4);
  refused("/blocks/1/branch_from", {5});
  refused("/sites/1/address_from", nlohmann::json::array());
  refused("/sites/1/address_from/value", {5});
}

TEST(KernelJson, BoundsWhatReadersMakeTablesOf) {
  nlohmann::json json = to_json(testing::sample_kernel());
  json["sites"][0]["width"] = 4096;
  EXPECT_EQ(kernel_info_from_json(json).sites[0].width, 4096u);
  json["sites"][0]["width"] = 4097;
  EXPECT_THROW((void)kernel_info_from_json(json), InputError);
  json = to_json(testing::sample_kernel());
  json["blocks"][0]["instructions"] = (1u << 24) + 1;
  EXPECT_THROW((void)kernel_info_from_json(json), InputError);
  json = to_json(testing::sample_kernel());
  json["blocks"][1]["mix"]["int_alu"] = (1u << 24) + 1;
  EXPECT_THROW((void)kernel_info_from_json(json), InputError);
}

}  // namespace
}  // namespace warpscope
