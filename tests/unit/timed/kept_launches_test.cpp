// Launches that an interrupted simulation has done are as if they had been simulated again.
#include "timed/kept_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.h"
#include "tests/unit/timed/line_kernel.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

constexpr std::size_t kLaunches = 6;

/// A small L2 of two partitions that launches find as the ones before left it, and queues.
TimedConfig config_of_memory() {
  TimedConfig config = plain_config();
  MemoryConfig& memory = config.memory;
  memory.l2_size_kib = 4;
  memory.l2_ways = 2;
  memory.l2_slices = memory.dram_channels = memory.l2_partitions = 2;
  memory.l2_far_latency = 30;
  memory.l2_bytes_per_cycle = 8;
  memory.dram_bytes_per_cycle = 2;
  memory.dram_latency = 50;
  memory.l2_keeps_content = true;
  config.l1.cache.sector_bytes = 32;
  return config;
}

/// Six launches of the same kernel, each of which reads what the ones before it have written.
class Launches {
 public:
  Launches() {
    LineKernel line;
    const SiteId load = line.load();
    line.use(load).store();
    const KernelInfo kernel = line.finish();
    for (std::uint32_t i = 0; i < kLaunches; ++i) {
      sources_.push_back(
          launch_of(kernel, 12, 1, [i](std::uint32_t group, std::uint32_t, SiteId site, std::uint64_t) {
            return (group * 7 + site.value() * (5 + i)) % 40 * 128u;
          }));
    }
    header_ = header_for(sources_.front(), 4);
  }
  std::unique_ptr<TimedEngine> engine() const {
    return std::make_unique<TimedEngine>(config_of_memory(), header_);
  }
  LaunchTiming run(TimedEngine& engine, std::size_t launch) const {
    DispatchOptions options;
    options.cores = 4;
    options.slots = 2;
    options.timeline_cycles = 100;
    return engine.run(sources_[launch], options);
  }

 private:
  std::vector<VectorSource> sources_;
  StreamHeader header_;
};

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const LaunchTiming& timing) {
  Bytes bytes;
  encode(timing, bytes);
  return bytes;
}

/// Of all launches in one go.
std::vector<Bytes> whole(const Launches& launches) {
  const auto engine = launches.engine();
  std::vector<Bytes> all;
  for (std::size_t i = 0; i < kLaunches; ++i) all.push_back(bytes_of(launches.run(*engine, i)));
  return all;
}

TEST(KeptLaunches, TheLaunchesDependOnThoseBefore) {
  const Launches launches;
  const std::vector<Bytes> all = whole(launches);
  for (std::size_t i = 1; i < kLaunches; ++i)
    EXPECT_NE(bytes_of(launches.run(*launches.engine(), i)), all[i])
        << "else the tests below would show nothing";
}

TEST(KeptLaunches, AnEngineGoesOnFromAState) {
  const Launches launches;
  const std::vector<Bytes> all = whole(launches);
  Bytes state;
  for (std::size_t i = 0; i < kLaunches; ++i) {
    const auto engine = launches.engine();
    if (i != 0) {
      ByteReader in(state);
      engine->restore(in);
      EXPECT_EQ(in.remaining(), 0u);
    }
    EXPECT_EQ(bytes_of(launches.run(*engine, i)), all[i]) << i;
    state.clear();
    engine->save(state);
  }
}

TEST(KeptLaunches, ATimingIsReadAsItWas) {
  const Launches launches;
  LaunchTiming timing = launches.run(*launches.engine(), 0);
  ASSERT_TRUE(timing.timeline && !timing.timeline->stretches().empty() && !timing.occupancy.empty());
  timing.l1_kib = 24;
  timing.demand.slices = {{{}, {3, 4}}, 0.5, 7, 2};
  const Bytes bytes = bytes_of(timing);
  ByteReader in(bytes);
  const LaunchTiming read = decode_timing(in);
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_EQ(bytes_of(read), bytes);
  EXPECT_EQ(read.l1_kib, 24u);
  EXPECT_EQ(read.cycles, timing.cycles);
  EXPECT_EQ(read.origins, timing.origins);
  EXPECT_EQ(read.demand.slices.bytes, timing.demand.slices.bytes);
  EXPECT_EQ(read.cores[1].origins[0].requests, timing.cores[1].origins[0].requests);
  EXPECT_EQ(read.occupancy.back().warps_per_core, timing.occupancy.back().warps_per_core);
  EXPECT_EQ(read.timeline->issues().size(), timing.timeline->issues().size());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader part{std::span<const std::uint8_t>(bytes).first(size)};
    EXPECT_THROW(decode_timing(part), InputError) << size;
  }
}

class Kept : public ::testing::Test {
 protected:
  KeptWork kept(std::uint32_t stage = 0) {
    return {std::make_shared<ResumeFile>(folder_.file("r"), nlohmann::json{{"a", 1}}), stage};
  }
  /// All launches but those that are kept, until so many were simulated. Returns the timings of all.
  std::vector<Bytes> run(std::size_t most, std::size_t expected, double times_cost = 0,
                         std::uint32_t stage = 0) {
    KeptLaunches launches(kept(stage), times_cost, 0);
    EXPECT_EQ(launches.size(), expected);
    const auto engine = launches_.engine();
    std::vector<Bytes> all;
    for (std::size_t i = 0; i < launches.size(); ++i) all.push_back(without_timeline(launches.next()));
    if (launches.size() != 0 && launches.size() != kLaunches) launches.restore(*engine);
    for (std::size_t i = launches.size(), done = 0; i < kLaunches; ++i, ++done) {
      if (done == most) return all;
      const LaunchTiming timing = launches_.run(*engine, i);
      launches.add(timing, *engine);
      all.push_back(without_timeline(timing));
    }
    launches.finish();
    return all;
  }
  std::vector<Bytes> wanted() const {
    const auto engine = launches_.engine();
    std::vector<Bytes> all;
    for (std::size_t i = 0; i < kLaunches; ++i) all.push_back(without_timeline(launches_.run(*engine, i)));
    return all;
  }
  /// Only that of the longest launch is kept.
  static Bytes without_timeline(LaunchTiming timing) {
    timing.timeline.reset();
    return bytes_of(timing);
  }
  TemporaryFolder folder_;
  Launches launches_;
};

TEST_F(Kept, LaunchesAreNotSimulatedAgain) {
  run(2, 0);
  run(0, 2);
  run(1, 2);
  EXPECT_EQ(run(9, 3), wanted());
  EXPECT_EQ(run(9, kLaunches), wanted());
}

TEST_F(Kept, StatesThatAreTooDearAreLeftOut) {
  run(3, 0, 1e9);
  EXPECT_EQ(run(9, 1), wanted())
      << "the first one is kept, whose price nobody knew; those behind it begin again";
}

TEST_F(Kept, StagesAreApart) {
  run(9, 0);
  run(2, 0, 0, 1);
  EXPECT_EQ(run(9, 2, 0, 1), wanted());
  EXPECT_EQ(run(9, kLaunches), wanted());
}

TEST_F(Kept, ADamagedStateIsNotTaken) {
  run(4, 0);
  const std::string path = folder_.file("r");
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size - 1);
  EXPECT_EQ(run(9, 3), wanted()) << "the one before it";
}

TEST_F(Kept, TheLongestLaunchHasItsTimeline) {
  run(9, 0);
  KeptLaunches launches(kept());
  const auto engine = launches_.engine();
  Cycle longest = 0;
  for (std::size_t i = 0; i < kLaunches; ++i) {
    const LaunchTiming timing = launches_.run(*engine, i);
    EXPECT_EQ(launches.next().timeline.has_value(), timing.cycles > longest) << i;
    longest = std::max(longest, timing.cycles);
  }
}

}  // namespace
}  // namespace warpscope::timed
