// Two kernels in one program, 64 work-items in groups of 32, that read a matrix of 64 x 64 ints: the first
// along its rows (s += a[i * 64 + k]), the second along its columns (s += a[k * 64 + i]). What the first
// one's lanes do must not be taken for what the second one's do.
#include <gtest/gtest.h>
#include <unistd.h>

#include "scheduler/replay/capture_source.h"
#include "tests/property/laws/program_on_disk.h"
#include "timed/engine.h"
#include "timed/timed_result.h"

namespace warpscope::testing {
namespace {

constexpr std::uint32_t kSide = 64, kGroups = 2, kItems = 32, kWarps = 2;

/// for (k < 64) s += a[...];
KernelInfo loop_of_loads(AddressSpace space) {
  KernelBuilder k;
  const SiteId load = k.site(AccessKind::Load, space);
  k.block({load}, {0, 1});
  k.block({}, {});
  KernelInfo kernel = k.finish();
  kernel.sites[0].alignment = 4;
  return kernel;
}

VectorSource loop(AddressSpace space, bool along_rows) {
  const KernelInfo kernel = loop_of_loads(space);
  VectorSource source(kernel, {kGroups, 1, 1}, {kItems, 1, 1});
  const auto walk = [](std::uint32_t, std::uint32_t) {
    Outcomes outcomes(kSide, 0);
    outcomes.back() = 1;
    return outcomes;
  };
  const auto address = [&](std::uint32_t group, std::uint32_t item, SiteId, std::uint64_t k) {
    const std::uint64_t i = group * kItems + item;
    return BufferAddr(BufferId(1), 4 * (along_rows ? i * kSide + k : k * kSide + i)).key();
  };
  for (std::uint32_t g = 0; g < kGroups; ++g) source.add(make_group(kernel, g, kItems, walk, address));
  return source;
}

Program two_kernels(AddressSpace space) {
  Program program;
  program.add_buffer("a", space, kSide * kSide * 4);
  program.launches.push_back(loop(space, true));
  program.launches.push_back(loop(space, false));
  return program;
}

class TwoKernels : public ::testing::Test {
 protected:
  TwoKernels() {
    const ::testing::TestInfo* const info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = ::testing::TempDir() + "two_kernels_" + info->name() + std::to_string(::getpid()) + ".wtrace";
  }
  ~TwoKernels() override { std::filesystem::remove(path_); }
  TwoKernels(const TwoKernels&) = delete;
  TwoKernels& operator=(const TwoKernels&) = delete;

  CaptureReader capture(AddressSpace space) {
    two_kernels(space).write(path_);
    return CaptureReader(path_, false);
  }

 private:
  std::string path_;
};

// 32 rows of 256 bytes are 32 lines; 32 ints next to each other are one line of 128 bytes, or four sectors.
TEST_F(TwoKernels, HaveTheTransactionsOfTheirOwnLanes) {
  const CaptureReader capture = this->capture(AddressSpace::Global);
  Machine machine;
  const auto lines = simulate_capture(capture, machine).launches;
  EXPECT_EQ(lines[0].of(AccessKind::Load).transactions, kWarps * kSide * 32u);
  EXPECT_EQ(lines[1].of(AccessKind::Load).transactions, kWarps * kSide * 1u);
  machine.rule = "volta";
  machine.simulation.cache.sector_bytes = 32;
  machine.stages = StageRules{};
  const auto sectors = simulate_capture(capture, machine).launches;
  EXPECT_EQ(sectors[0].of(AccessKind::Load).transactions, kWarps * kSide * 32u);
  EXPECT_EQ(sectors[1].of(AccessKind::Load).transactions, kWarps * kSide * 4u);
  EXPECT_EQ(sectors[0].of(AccessKind::Load).stages.tag_lookups, kWarps * kSide * 32u);
  EXPECT_EQ(sectors[1].of(AccessKind::Load).stages.tag_lookups, kWarps * kSide * 1u);
}

// Rows of 64 words: all lanes in one bank, 32 passes. Words next to each other: one.
TEST_F(TwoKernels, HaveTheBankConflictsOfTheirOwnLanes) {
  const CaptureReader capture = this->capture(AddressSpace::Local);
  Machine machine;
  machine.stages = StageRules{};
  const auto launches = simulate_capture(capture, machine).launches;
  const auto wavefronts = [](const Counts& counts) { return counts.outside[0][0].wavefronts; };
  EXPECT_EQ(wavefronts(launches[0]), kWarps * kSide * 32u);
  EXPECT_EQ(wavefronts(launches[1]), kWarps * kSide * 1u);
}

TEST_F(TwoKernels, HaveTheLookUpsOfTheirOwnLanesInTimedMode) {
  const CaptureReader capture = this->capture(AddressSpace::Global);
  StreamHeader header;
  header.buffers = capture.buffers();
  header.launches = capture.launches();
  timed::TimedConfig config;
  config.coalescing = "volta";
  config.l1.cache.sector_bytes = 32;
  timed::TimedEngine engine(config, header);
  std::vector<timed::LaunchTiming> timings;
  for (const LaunchInfo& launch : capture.launches())
    timings.push_back(engine.run(CaptureSource(capture, launch), {}));
  const auto launches = timed::simulation_result(header, timings).launches;
  EXPECT_EQ(launches[0].of(AccessKind::Load).transactions, kWarps * kSide * 32u);
  EXPECT_EQ(launches[1].of(AccessKind::Load).transactions, kWarps * kSide * 4u);
  EXPECT_EQ(timings[0].cores[0].lookups, kWarps * kSide * 32u);
  EXPECT_EQ(timings[1].cores[0].lookups, kWarps * kSide * 1u);
}

}  // namespace
}  // namespace warpscope::testing
