// From the words of cachesim's command line to a request: what is read from where, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cachesim/shared_options.h"
#include "tools/cachesim/simulate_command.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using ::testing::HasSubstr;

SimulateCommand cachesim_parsed(const std::vector<std::string>& words, Purpose purpose = Purpose::Simulate) {
  return simulate_command_from(words, purpose);
}

std::string cachesim_refusal(const std::vector<std::string>& words, Purpose purpose = Purpose::Simulate) {
  try {
    cachesim_parsed(words, purpose);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CachesimOptions, FiveWordsAreTheCache) {
  const SimulationRequest request = cachesim_parsed({"x", "16", "64", "4", "FIFO", "WBWA"}).request;
  EXPECT_EQ(request.input, "x");
  const CacheConfig& cache = request.simulation.cache;
  EXPECT_EQ(cache.size_kib, 16u);
  EXPECT_EQ(cache.line_bytes, 64u);
  EXPECT_EQ(cache.ways, 4u);
  EXPECT_EQ(cache.replacement, "FIFO");
  EXPECT_EQ(cache.write_policy, "WBWA");
  EXPECT_EQ(request.stages->line_bytes, 64u);
  EXPECT_FALSE(request.preset);
}

TEST(CachesimOptions, AGpuGivesCacheAndSchedule) {
  const SimulationRequest request = cachesim_parsed({"x", "--gpu", "v100", "--cores", "7"}).request;
  EXPECT_EQ(request.preset->name, "v100");
  EXPECT_EQ(request.coalescing, request.preset->coalescing);
  EXPECT_EQ(request.schedule.cores, 7u);
  EXPECT_EQ(request.schedule.limits->name, "v100");
  EXPECT_TRUE(request.simulation.cache_of) << "local memory takes its part";
  EXPECT_FALSE(
      cachesim_parsed({"x", "16", "128", "4", "LRU", "WTNA", "--gpu", "v100"}).request.simulation.cache_of)
      << "a cache given by hand is fixed";
}

TEST(CachesimOptions, RefusesWhatMakesNoSense) {
  EXPECT_THAT(cachesim_refusal({}), HasSubstr("no input given"));
  EXPECT_THAT(cachesim_refusal({"x"}), HasSubstr("no cache given"));
  EXPECT_THAT(cachesim_refusal({"x", "16"}), HasSubstr("the cache needs five values"));
  EXPECT_THAT(cachesim_refusal({"x", "16", "128", "4", "LRU", "WTNA", "--top", "many"}),
              HasSubstr("--top: 'many', expected a whole number from 0 to 1048576"));
  EXPECT_THAT(cachesim_refusal({"x", "a", "128", "4", "LRU", "WTNA"}),
              HasSubstr("cache size: 'a', expected"));
  EXPECT_THAT(cachesim_refusal({"x", "--gpu", "v100", "--runs", "2", "--repeat", "2"}),
              HasSubstr("expected one of them"));
  EXPECT_THAT(cachesim_refusal({"x"}, Purpose::Coalesce), HasSubstr("no output given"));
}

TEST(CachesimOptions, AStreamRefusesAnOrder) {
  const SimulateCommand command = cachesim_parsed({"x", "--gpu", "v100", "--policy", "rr"});
  check_order_options(command.values, "x", FileKind::Capture);
  EXPECT_THROW(check_order_options(command.values, "x", FileKind::BinaryStream), InputError);
}

}  // namespace
}  // namespace warpscope
