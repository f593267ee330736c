// Threads of cachesim share one reader of a capture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "cachesim/result/result_json.h"
#include "cachesim/simulate/simulation.h"
#include "tests/unit/scheduler/capture_on_disk.h"

namespace warpscope {
namespace {

std::string result_of(const std::string& path, std::uint32_t threads) {
  SimulationRequest request;
  request.input = path;
  request.simulation.self_check = request.schedule.self_check = true;
  request.schedule.cores = 3;
  request.threads = threads;
  complete(request);
  const Simulated simulated = simulate(request, FileKind::Capture);
  return result_json(ResultContext{}, simulated.header.stream, simulated.runs.front(), std::nullopt).dump();
}

TEST(CaptureShares, AddUpToTheSameResult) {
  const std::string path = (std::filesystem::path(::testing::TempDir()) /
                            ("capture_shares_" + std::to_string(::getpid()) + ".wtrace"))
                               .string();
  testing::write_copy_capture(path);
  const std::string alone = result_of(path, 1);
  EXPECT_THAT(alone, ::testing::HasSubstr("\"transactions\""));
  for (const std::uint32_t threads : {2u, 3u})
    EXPECT_EQ(result_of(path, threads), alone) << threads << " threads";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace warpscope
