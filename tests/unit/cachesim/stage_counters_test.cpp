// Wavefronts and bank conflicts on their way from a launch to result.json, against launches counted by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cachesim/result/result_json.h"
#include "cachesim/result/text_report.h"
#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "header_builder.h"
#include "tests/unit/temporary_folder.h"

namespace warpscope::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kGlobalMemory = AddressSpace::Global;
constexpr auto kLocalMemory = AddressSpace::Local;
constexpr auto kConstantMemory = AddressSpace::Constant;

/// Sites: 0 global load, 1 local load, 2 local store of 8 bytes, 3 constant load, 4 volatile global load.
StreamHeader launch_header() {
  auto sites =
      std::vector<SiteInfo>{site(AccessKind::Load, kGlobalMemory), site(AccessKind::Load, kLocalMemory),
                            site(AccessKind::Store, kLocalMemory, 8), site(AccessKind::Load, kConstantMemory),
                            site(AccessKind::Load, kGlobalMemory)};
  sites[4].is_volatile = true;
  return header({kGlobalMemory, kLocalMemory, kConstantMemory}, sites, 1u << 16);
}

/// Twice, from two cores: a global load of stride 8 (2 lines, 8 sectors), local loads of strides 4 (degree 1)
/// and 8 words (degree 8), a local store of 8 bytes 16 apart (two passes of degree 2), a constant load of 32
/// addresses, and a volatile load of stride 64.
void feed(TransactionSink& to, const std::optional<StageRules>& stages = StageRules{}) {
  Accesses make;
  CoalescingSink sink(32, coalescing_rule("volta"), to, L1Takes::Everything, stages);
  sink.begin(launch_header());
  sink.begin_launch(LaunchId(0));
  for (std::uint32_t core = 0; core < 2; ++core) {
    const WarpAccess accesses[] = {make.strided(0, BufferAddr(BufferId(1), 0), 8, core),
                                   make.strided(1, BufferAddr(BufferId(2), 0), 4, 3),
                                   make.strided(1, BufferAddr(BufferId(2), 64), 32, 4),
                                   make.strided(2, BufferAddr(BufferId(2), 0), 16),
                                   make.strided(3, BufferAddr(BufferId(3), 0), 4),
                                   make.strided(4, BufferAddr(BufferId(1), 0), 64)};
    for (WarpAccess access : accesses) {
      access.core = CoreId(core);
      sink.access(access);
    }
  }
  sink.end();
}

nlohmann::ordered_json result_of(const L1Simulator& simulator, bool stages = true) {
  ResultContext context;
  context.input_name = "x";
  context.input_kind = "capture";
  context.cache = {16, 128, 4, "LRU", "WTNA", "linear", 1};
  context.cache.sector_bytes = 32;
  context.coalescing = "volta";
  context.stages = stages;
  return result_json(context, simulator.header().stream, simulator.result(), {});
}

SimulationOptions options() {
  SimulationOptions options;
  options.cache = {16, 128, 4, "LRU", "WTNA", "linear", 1};
  options.cache.sector_bytes = 32;
  options.self_check = true;
  return options;
}

nlohmann::ordered_json counted() {
  L1Simulator simulator(options());
  feed(simulator);
  return result_of(simulator);
}

TEST(StageCounters, OfLoadsThatReachTheL1) {
  const auto load = counted()["total"]["load"];
  EXPECT_EQ(load["requests"], 4u);
  EXPECT_EQ(load["transactions"], 2u * (8u + 32u)) << "the volatile loads pass by";
  EXPECT_EQ(load["tag_lookups"], 2u * 2u);
  EXPECT_EQ(load["tag_wavefronts"], 2u * 1u) << "neighbouring lines are in different tag banks";
  EXPECT_EQ(load["data_wavefronts"], 2u * 2u) << "gcd(2 words, 32 banks)";
  EXPECT_EQ(load["wavefronts"], 2u * 2u);
  EXPECT_EQ(load["sectors"], 2u * (8u + 32u));
  EXPECT_EQ(load["bytes"], 2u * (8u + 32u) * 32u);
}

TEST(StageCounters, OfLocalMemory) {
  const auto result = counted();
  const auto outside = result["total"]["outside_l1"]["local"];
  EXPECT_EQ(outside["load"]["requests"], 4u);
  EXPECT_EQ(outside["load"]["wavefronts"], 2u * (1u + 8u));
  EXPECT_EQ(outside["load"]["conflicts"], 2u * (0u + 7u));
  EXPECT_EQ(outside["store"]["wavefronts"], 2u * (2u + 2u));
  EXPECT_EQ(outside["store"]["conflicts"], 2u * (1u + 1u));
  const auto local = result["total"]["local_memory"];
  EXPECT_EQ(local["requests"], 6u);
  EXPECT_EQ(local["passes"], 8u);
  EXPECT_EQ(local["wavefronts"], 26u);
  EXPECT_DOUBLE_EQ(local["beta"].get<double>(), 26.0 / 8.0);
  EXPECT_EQ(local["max_degree"], 8u);
  EXPECT_EQ(local["degrees"], (nlohmann::ordered_json{{"1", 2}, {"2", 4}, {"8", 2}}));
}

TEST(StageCounters, OfConstantsAreTheirDistinctAddresses) {
  const auto constant = counted()["total"]["outside_l1"]["constant"]["load"];
  EXPECT_EQ(constant["wavefronts"], 2u * 32u);
  EXPECT_EQ(constant["conflicts"], 2u * 31u);
}

TEST(StageCounters, AreThoseOfTheSiteTheCoreAndTheLaunch) {
  const auto result = counted();
  EXPECT_EQ(result["launches"][0]["local_memory"], result["total"]["local_memory"]);
  EXPECT_EQ(result["cores"][1]["local_memory"]["wavefronts"], 13u);
  EXPECT_EQ(result["cores"][1]["load"]["tag_lookups"], 2u);
  EXPECT_EQ(result["sites"][0]["load"]["wavefronts"], 4u);
  EXPECT_TRUE(result["sites"][0]["local_memory"].is_null());
  EXPECT_EQ(result["sites"][1]["local_memory"]["max_degree"], 8u);
  EXPECT_DOUBLE_EQ(result["sites"][2]["local_memory"]["beta"].get<double>(), 2.0);
  EXPECT_EQ(result["sites"][4]["load"]["wavefronts"], 0u) << "what bypasses the L1 occupies nothing";
  EXPECT_EQ(result["buffers"][1]["local_memory"]["wavefronts"], 26u);
}

TEST(StageCounters, GoThroughATransactionStream) {
  const TemporaryFolder folder;
  const std::string path = folder.file("stages.wtxn");
  feed(*make_transaction_writer(path));
  L1Simulator simulator(options());
  read_transactions(path, simulator, false);
  EXPECT_TRUE(simulator.header().stages);
  const auto read = result_of(simulator), direct = counted();
  for (const char* part : {"total", "launches", "cores", "sites", "buffers"})
    EXPECT_EQ(read[part], direct[part]);
}

TEST(StageCounters, AreAbsentWhereNotAskedFor) {
  L1Simulator simulator(options());
  feed(simulator, {});
  EXPECT_FALSE(simulator.header().stages);
  const auto result = result_of(simulator, false);
  EXPECT_FALSE(result["total"]["load"].contains("wavefronts"));
  EXPECT_FALSE(result["total"].contains("local_memory"));
  std::ostringstream text;
  write_text_report(result, 10, text);
  EXPECT_THAT(text.str(), Not(HasSubstr("Banks of local memory")));
}

TEST(StageCounters, AreInTheTextReport) {
  std::ostringstream text;
  write_text_report(counted(), 10, text);
  EXPECT_THAT(text.str(), HasSubstr("Banks of local memory"));
  EXPECT_THAT(text.str(), testing::ContainsRegex("store +2 +8 +4 +2.00 +2 +k.cl:10"));
  EXPECT_THAT(text.str(), testing::ContainsRegex("loads +4 +"));
}

TEST(StageCounters, OfUniformLoadsAreInTheTextReportToo) {
  nlohmann::ordered_json result = counted();
  result["total"]["load"]["transactions"] = result["total"]["load"]["wavefronts"];
  std::ostringstream text;
  write_text_report(result, 10, text);
  EXPECT_THAT(text.str(), testing::ContainsRegex("L1 occupied.*\n +loads"));
  result["context"]["coalescing"] = "fermi";
  text.str("");
  write_text_report(result, 10, text);
  EXPECT_THAT(text.str(), Not(HasSubstr("L1 occupied")));
}

}  // namespace
}  // namespace warpscope::test
