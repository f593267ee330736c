// result.json: its schema, and the sums it promises.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "cachesim/result/result_json.h"
#include "cachesim/result/text_report.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "header_builder.h"

namespace warpscope::test {
namespace {

using Json = nlohmann::ordered_json;

class Result : public testing::Test {
 protected:
  static constexpr auto kGlobal = AddressSpace::Global;

  /// Two launches of one kernel on three cores, every kind of access.
  void SetUp() override {
    stream_ = header(
        {kGlobal, kGlobal, AddressSpace::Local},
        {site(AccessKind::Load, kGlobal), site(AccessKind::Store, kGlobal), site(AccessKind::Atomic, kGlobal),
         site(AccessKind::Load, AddressSpace::Local), site(AccessKind::Load, kGlobal)});
    stream_.cores = 3;
    stream_.launches.push_back(stream_.launches[0]);
    stream_.launches.edit()[1].id = LaunchId(1);
    options_.reuse_histogram = true;
    options_.self_check = true;
  }

  Json run() {
    L1Simulator simulator(options_);
    CoalescingSink sink(128, coalescing_rule("fermi"), simulator);
    Accesses make;
    std::mt19937_64 random(5);
    sink.begin(stream_);
    for (std::uint32_t launch = 0; launch < 2; ++launch) {
      sink.begin_launch(LaunchId(launch));
      for (int i = 0; i < 5000; ++i) {
        const auto s = static_cast<std::uint32_t>(random() % 4);
        const std::uint32_t buffer = s == 3 ? 3 : 1 + random() % 2;
        WarpAccess access = make.strided(s, BufferAddr(BufferId(buffer), random() % 60000),
                                         static_cast<std::int64_t>(random() % 20));
        access.core = CoreId(static_cast<std::uint32_t>(random() % 3));
        sink.access(access);
      }
    }
    sink.end();
    ResultContext context;
    context.input_name = "k.wsched";
    context.input_kind = "binary stream";
    context.cache = options_.cache;
    context.coalescing = "fermi";
    context.cores = 3;
    context.classes = options_.classes;
    context.reuse_histogram = true;
    return result_json(context, stream_, simulator.result(), std::nullopt);
  }

  StreamHeader stream_;
  SimulationOptions options_;
};

/// Adds up all numbers of an array's elements that are at the same path in `like`.
void expect_sum(const Json& total, const Json& parts, const std::string& path) {
  for (const auto& [key, value] : total.items()) {
    if (value.is_object()) {
      std::vector<Json> inner;
      for (const Json& part : parts) inner.push_back(part.at(key));
      expect_sum(value, inner, path + "/" + key);
    } else if (value.is_number()) {
      std::uint64_t sum = 0;
      for (const Json& part : parts) sum += part.at(key).get<std::uint64_t>();
      EXPECT_EQ(sum, value.get<std::uint64_t>()) << path << "/" << key;
    }
  }
}

TEST_F(Result, TotalIsTheSumOfLaunchesCoresSitesAndBuffers) {
  for (const char* write : {"WTNA", "WBWA", "WENA"}) {
    options_.cache.write_policy = write;
    const Json result = run();
    for (const char* key : {"launches", "cores", "sites", "buffers"})
      expect_sum(result.at("total"), result.at(key), key);
    EXPECT_GT(result.at("total").at("load").at("hits").get<int>(), 0);
    EXPECT_GT(result.at("total").at("evictions").get<int>(), 0);
    EXPECT_GT(result.at("total").at("atomic").at("bypasses").get<int>(), 0);
    EXPECT_GT(result.at("total").at("outside_l1").at("local").at("load").at("requests").get<int>(), 0);
  }
}

TEST_F(Result, OutcomesAddUpToTransactions) {
  const Json total = run().at("total");
  for (const char* kind : {"load", "store", "atomic"}) {
    const Json& c = total.at(kind);
    const auto count = [&](const char* key) { return c.at(key).get<std::uint64_t>(); };
    EXPECT_EQ(
        count("hits") + count("hits_pending") + count("sector_misses") + count("misses") + count("bypasses"),
        count("transactions"));
  }
}

TEST_F(Result, OpensWithSchemaAndContextAndKeepsItsNames) {
  const Json result = run();
  std::vector<std::string> keys;
  for (const auto& [key, value] : result.items()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"schema", "context", "total", "launches", "launch_groups", "cores",
                                      "sites", "buffers", "sets", "reuse_histogram", "runs", "sources"}));
  EXPECT_EQ(result.at("schema"), 1);
  EXPECT_EQ(result.at("sites").size(),
            5u);  // the two launches share their kernel; a site without accesses is there
  EXPECT_EQ(result.at("sites")[4].at("load").at("requests"), 0);
  EXPECT_EQ(result.at("sites")[0].at("locations")[0].at("line"), 10);
  EXPECT_EQ(result.at("sources").size(), 1u);
  EXPECT_EQ(result.at("launches")[1].at("source"), 0);
  EXPECT_EQ(result.at("buffers").size(), 3u);
  EXPECT_EQ(result.at("buffers")[0].at("address"), 0x10000000);
  EXPECT_EQ(result.at("sets").at("transactions").size(), 32u);
}

TEST_F(Result, SameInputSameBytes) {
  EXPECT_EQ(run().dump(), run().dump());
}

TEST_F(Result, WithoutClassesTheyAreNull) {
  options_.classes = false;
  EXPECT_TRUE(run().at("total").at("miss_classes").is_null());
}

/// References in the histogram, and look-ups in the counters.
std::pair<std::uint64_t, std::uint64_t> in_histogram_and_looked_up(const Json& result) {
  std::uint64_t in_histogram = 0, looked_up = 0;
  const Json& histogram = result.at("reuse_histogram");
  for (const char* kind : {"load", "store"}) {
    in_histogram += histogram.at("cold").at(kind).get<std::uint64_t>();
    looked_up += result.at("total").at(kind).at("transactions").get<std::uint64_t>();
    for (const Json& bin : histogram.at("bins")) in_histogram += bin.at(kind).get<std::uint64_t>();
  }
  return {in_histogram, looked_up};
}

TEST_F(Result, HistogramHoldsEveryLookUp) {
  const auto [in_histogram, looked_up] = in_histogram_and_looked_up(run());
  EXPECT_EQ(in_histogram, looked_up);
}

TEST_F(Result, HistogramHoldsEveryLookUpOfSmallerCaches) {
  options_.cache_of = [usual = options_.cache](const LaunchInfo& launch) {
    CacheConfig cache = usual;  // three quarters for the first launch, as next to local memory
    if (launch.id == LaunchId(0)) {
      cache.size_kib = usual.size_kib * 3 / 4;
      cache.ways = usual.ways * 3 / 4;
    }
    return cache;
  };
  const auto [in_histogram, looked_up] = in_histogram_and_looked_up(run());
  EXPECT_EQ(in_histogram, looked_up);
}

TEST(ReuseHistogram, BinsAreExactThenPowersOfTwoCutAtTheCapacity) {
  ReuseHistogram histogram(384);
  for (const std::uint64_t distance : {0, 15, 16, 31, 32, 255, 256, 383, 384, 511, 512})
    histogram.add(distance, false);
  histogram.add(ReuseDistance::kCold, true);
  const auto bins = histogram.bins();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;
  std::uint64_t next = 0;
  for (const auto& bin : bins) {
    EXPECT_EQ(bin.from, next);  // no gaps
    next = bin.to + 1;
    if (bin.from >= 16) edges.emplace_back(bin.from, bin.loads);
  }
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(edges, (std::vector<Pair>{{16, 2}, {32, 1}, {64, 0}, {128, 1}, {256, 2}, {384, 2}, {512, 1}}));
  EXPECT_EQ(histogram.cold_stores(), 1u);
}

TEST_F(Result, TablesNameTheWorstLine) {
  std::ostringstream text;
  write_text_report(run(), 3, text);
  EXPECT_NE(text.str().find("k.cl:10"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("local memory"), std::string::npos);
}

TEST_F(Result, HeadingSaysWhatLocalMemoryLeftOfTheL1) {
  nlohmann::json result = run();
  const auto heading = [&] {
    std::ostringstream text;
    write_text_report(result, 1, text);
    return text.str().substr(0, text.str().find('\n'));
  };
  const std::uint64_t size = result["context"]["cache"]["size_kib"];
  const auto expect_size = [&](const std::string& expected) {
    EXPECT_NE(heading().find("L1 of " + expected + ", "), std::string::npos) << heading();
  };
  expect_size(fmt::format("{} KiB", size));
  result["context"]["l1_kib"]["least"] = size - 1;
  expect_size(fmt::format("{} KiB ({} to {} next to local memory)", size, size - 1, size));
  result["context"]["l1_kib"]["most"] = size - 1;
  expect_size(fmt::format("{} KiB ({} next to local memory)", size, size - 1));
  result["context"]["carveout_kib"] = {{"least", 8}, {"most", 8}};
  expect_size(fmt::format("{} KiB ({} next to 8 KiB of local memory)", size, size - 1));
  result["context"]["l1_kib"]["least"] = size - 2;
  result["context"]["carveout_kib"]["most"] = 9;
  expect_size(fmt::format("{} KiB ({} to {} next to 9 to 8 KiB of local memory)", size, size - 2, size - 1));
  result["context"]["l1_kib"]["least"] = size;
  expect_size(fmt::format("{} KiB (next to 9 to 8 KiB of local memory)", size));
}

}  // namespace
}  // namespace warpscope::test
