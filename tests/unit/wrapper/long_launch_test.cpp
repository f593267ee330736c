// The line about a launch whose work-groups may wait for each other.
#include "wrapper/program/long_launch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/unit/traces/samples.h"
#include "wrapper/session/settings.h"

namespace warpscope {
namespace {

using std::chrono::milliseconds;

LaunchRow launch(std::uint32_t number, const Dim3& global, const Dim3& local) {
  LaunchRow row;
  row.launch = LaunchId(number);
  row.kernel = "k";
  row.global = global;
  row.local = local;
  return row;
}

TEST(LongLaunch, OnlyMoreWorkGroupsThanThreadsMayWaitForEver) {
  EXPECT_EQ(why_it_may_not_end(launch(7, {896, 1, 1}, {64, 1, 1}), 14), "");
  EXPECT_EQ(why_it_may_not_end(launch(0, {1, 1, 1}, {1, 1, 1}), 1), "");
  EXPECT_EQ(why_it_may_not_end(launch(7, {896, 1, 1}, {64, 1, 1}), 2),
            "trace-kernel: launch 7 (k) has run for more than a minute. PoCL runs 2 of its 14 work-groups at "
            "a time: if they "
            "wait for each other, end it with Ctrl-C and set POCL_MAX_PTHREAD_COUNT=14\n");
  EXPECT_NE(why_it_may_not_end(launch(0, {64, 8, 2}, {16, 2, 1}), 31).find("31 of its 32 work-groups"),
            std::string::npos);
  EXPECT_NE(why_it_may_not_end(launch(0, {4096, 1, 1}, {1, 1, 1}), 2).find("4,096 work-groups at a time"),
            std::string::npos);
}

/// A session of one process whose launch 0 has ended and whose launch 1 has begun, of 4 work-groups each.
class Session {
 public:
  Session() {
    std::filesystem::create_directories(process());
    std::ofstream events(process() + layer::kEventsFile);
    for (const char* number : {"0", "1"})
      events << R"({"event":"begin","kernel":"k","global":[4,1,1],"local":[1,1,1],"groups":4,"launch":)"
             << number << "}\n";
    events << R"({"event":"end","seconds":1,"launch":0})"
           << "\n";
    count(2);
  }
  void end() const {
    std::ofstream(process() + layer::kEventsFile, std::ios::app)
        << R"({"event":"end","seconds":1,"launch":1})"
        << "\n";
  }
  void count(std::uint64_t launches) const {
    const std::uint64_t numbers[3] = {launches, 0, 0};
    std::ofstream(process() + layer::kCountsFile, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  }
  [[nodiscard]] std::string directory() const { return folder_.file("session"); }

 private:
  [[nodiscard]] std::string process() const { return layer::process_folder(directory(), 1); }
  testing::TemporaryFolder folder_;
};

std::string said(const Session& session, std::uint64_t threads, const std::function<void()>& meanwhile) {
  ::testing::internal::CaptureStderr();
  {
    const LongLaunchNote note(session.directory(), threads, milliseconds(20));
    meanwhile();
  }
  return ::testing::internal::GetCapturedStderr();
}

void wait() {
  std::this_thread::sleep_for(milliseconds(200));
}

TEST(LongLaunch, IsNamedOnce) {
  const Session session;
  const auto row = running_launch(session.directory());
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->launch, LaunchId(1));
  EXPECT_EQ(said(session, 2, wait), why_it_may_not_end(*row, 2));
  EXPECT_EQ(said(session, 4, wait), "");
}

TEST(LongLaunch, NothingIsSaidBetweenLaunchesOrBeforeTheInterval) {
  const Session session;
  EXPECT_EQ(said(session, 2, [] {}), "");
  session.end();
  EXPECT_FALSE(running_launch(session.directory()).has_value());
  EXPECT_EQ(said(session, 2, wait), "");
}

}  // namespace
}  // namespace warpscope
