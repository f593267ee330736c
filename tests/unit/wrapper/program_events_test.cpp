// What trace-kernel reads of a program's launches.
#include "wrapper/program/program_events.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/unit/traces/samples.h"

namespace warpscope {
namespace {

std::string began(int launch) {
  return R"({"event":"begin","kernel":"k","global":[4,1,1],"local":[1,1,1],"groups":4,"launch":)" +
         std::to_string(launch) + "}\n";
}

std::string fault(int launch, int group, bool has_group = true) {
  return R"({"event":"fault","signal":11,"has_address":1,"is_stack_overflow":0,"has_site":0,"is_predicted":0,"site":0,"item":0,"address":0,)"
         R"("access":0,"object":0,"object_size":0,"has_group":)" +
         std::to_string(has_group ? 1 : 0) + R"(,"launch":)" + std::to_string(launch) + R"(,"group":)" +
         std::to_string(group) + "}\n";
}

ProcessEvents read(const std::string& text) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("events.jsonl");
  std::ofstream(path) << text;
  return read_events(path);
}

TEST(ProgramEvents, WhatIsToComeIsEstimatedOfTheLaunchesSoFar) {
  using std::chrono::seconds;
  // 37 in 20 s: 1,000 take 540 s. 10 in 20 s: 100 take 200 s. A single one: 10 take 200 s.
  EXPECT_NE(how_to_take_less(37, seconds(20))
                .find("37 launches in the first 20 s, so 1000 of this size take about 9 minutes;"),
            std::string::npos);
  EXPECT_NE(how_to_take_less(10, seconds(20)).find("so 100 of this size take about 3 minutes;"),
            std::string::npos);
  EXPECT_NE(how_to_take_less(1, seconds(20))
                .find("1 launch in the first 20 s, so 10 of this size take about 3 minutes;"),
            std::string::npos);
  EXPECT_EQ(how_to_take_less(0, seconds(20)), "");
}

TEST(ProgramEvents, TheFirstFaultOfALaunchSaysWhatHappened) {
  // Threads 2 and 3 of PoCL come to their reports before the process ends.
  const ProcessEvents events = read(began(0) + began(1) + fault(1, 3) + fault(1, 0) + fault(1, 2));
  ASSERT_EQ(events.faults.size(), 1u);
  EXPECT_EQ(events.faults[0].launch, LaunchId(1));
  EXPECT_EQ(events.faults[0].group, WorkGroupId(3));
  EXPECT_EQ(events.faults[0].signal, SIGSEGV);
}

TEST(ProgramEvents, AStackThatOverflowsInSeveralThreadsIsOneFault) {
  const ProcessEvents events = read(began(0) + began(1) + fault(0, 0, false) + fault(0, 0, false));
  ASSERT_EQ(events.faults.size(), 1u);
  EXPECT_FALSE(events.faults[0].has_group);
  EXPECT_EQ(events.faults[0].launch, LaunchId(1)) << "the launch that began last";
}

TEST(ProgramEvents, AProgramThatGoesOnMayFaultInEveryLaunch) {
  const ProcessEvents events =
      read(began(0) + fault(0, 1) + began(1) + fault(1, 1) + began(2) + fault(0, 0, false));
  ASSERT_EQ(events.faults.size(), 3u);
  EXPECT_EQ(events.faults[2].launch, LaunchId(2));
}

}  // namespace
}  // namespace warpscope
