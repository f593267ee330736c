// trace-view and trace-check as programs: output, messages, exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/unit/traces/samples.h"

namespace warpscope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryFolder;

struct Outcome {
  int status = -1;
  std::string text;  ///< standard output and standard error
};

Outcome run(const std::string& arguments) {
  const std::string command = std::string(WARPSCOPE_BIN_DIR) + "/" + arguments + " 2>&1";
  Outcome outcome;
  FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe))
    outcome.text.append(buffer, count);
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class Tools : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_sample_capture(file(), 1, 4); }
  [[nodiscard]] std::string file(const std::string& name = "a.wtrace") const { return folder_.file(name); }
  TemporaryFolder folder_;
};

TEST_F(Tools, CheckAcceptsASoundCapture) {
  const Outcome outcome = run("trace-check " + file());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("OK, 2 launches, 8 work-groups, 64 work-items"));
}

TEST_F(Tools, ReadStandardInput) {
  EXPECT_THAT(run("trace-check - < " + file()).text, HasSubstr("-: OK"));
  EXPECT_THAT(run("trace-view - < " + file()).text, HasSubstr("launch 1: kernel sample"));
}

TEST_F(Tools, CheckReportsDamageWithStatus2) {
  std::string bytes = testing::read_file(file());
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  testing::write_file(file(), bytes);
  const Outcome outcome = run("trace-check " + file());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.text, HasSubstr("checksum does not match"));
}

/// What a program leaves that was killed in the middle of a launch is not wrong, but not whole either.
TEST_F(Tools, CheckNotesLaunchesThatLackWorkGroups) {
  {
    CaptureWriter writer(file("b"), {});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 4, 8));
    testing::Random random(1);
    writer.add_work_group(LaunchId(0), WorkGroupId(1), encode(testing::random_trace(random, 0, 1, 8)));
    writer.finish();
  }
  const Outcome outcome = run("trace-check " + file("b"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, HasSubstr("note: launch 0 holds 1 of its 4 work-groups"));
  EXPECT_THAT(outcome.text, HasSubstr("OK as far as it goes (partial)"));
}

TEST_F(Tools, PartialCapturesNeedTheOption) {
  const std::string whole = testing::read_file(file());
  testing::write_file(file("cut"), whole.substr(0, whole.size() - 20));
  for (const std::string tool : {"trace-check ", "trace-view "}) {
    const Outcome refused = run(tool + file("cut"));
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.text, HasSubstr("8 of 8 work-groups are intact; use --partial"));
    const Outcome accepted = run(tool + "--partial " + file("cut"));
    EXPECT_EQ(accepted.status, 0);
    EXPECT_THAT(accepted.text, HasSubstr("partial"));
  }
}

TEST_F(Tools, SummaryCountsWhatWasRecorded) {
  const Outcome outcome = run("trace-view --summary --json " + file());
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  const auto json = nlohmann::json::parse(outcome.text);
  ASSERT_EQ(json["launches"].size(), 2u);
  // The same numbers from the work-groups that were written.
  const TemporaryFolder again;
  std::uint64_t loads = 0;
  std::uint64_t local_loads = 0;
  std::uint64_t stores = 0;
  for (const WorkGroupTrace& trace : testing::write_sample_capture(again.file("x"), 1, 4)) {
    if (trace.launch.value() != 1) continue;
    for (const std::uint32_t path : trace.path_of) {
      const auto& counts = trace.paths[path].site_counts;
      loads += counts[0] + counts[3];
      local_loads += counts[3];
      stores += counts[1];
    }
  }
  const auto& launch = json["launches"][1];
  EXPECT_EQ(launch["kernel"], "sample");
  EXPECT_EQ(launch["global"], nlohmann::json({32, 1, 1}));
  EXPECT_EQ(launch["local"], nlohmann::json({8, 1, 1}));
  EXPECT_EQ(launch["loads"], loads);
  EXPECT_EQ(launch["stores"], stores);
  EXPECT_EQ(launch["atomics"], stores);
  EXPECT_EQ(launch["barriers"], 32);
  EXPECT_EQ(launch["fences"], 0);
  EXPECT_EQ(launch["work_items"], 32);
  EXPECT_EQ(launch["by_address_space"]["local"]["loads"], local_loads);
  EXPECT_EQ(launch["by_address_space"]["private"]["stores"], 0);
}

TEST_F(Tools, ViewShowsSitesGraphAndOneWorkItem) {
  EXPECT_THAT(run("trace-view --sites " + file()).text, HasSubstr("sample.cl:11:3"));
  EXPECT_THAT(run("trace-view --cfg --launch 0 " + file()).text,
              HasSubstr("block 1: to 2, 3; post-dominator 3; loop 0"));
  EXPECT_THAT(run("trace-view --source " + file()).text, HasSubstr("__kernel void sample"));
  const Outcome item = run("trace-view --launch 0 --work-item 0:0 " + file());
  EXPECT_EQ(item.status, 0);
  EXPECT_THAT(item.text, HasSubstr("in + 0"));
  EXPECT_THAT(item.text, HasSubstr("barrier"));
  const auto json = nlohmann::json::parse(run("trace-view --sites --json " + file()).text);
  EXPECT_EQ(json["launches"][0]["sites"][2]["executions"], 32);
}

TEST_F(Tools, ViewWritesTheTextOfCrawford2014) {
  const Outcome outcome = run("trace-view --launch 0 --format crawford " + file());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.text, StartsWith("local size:8 1 1\n0x10000000F0000318|0x0|0x10000000000\n"));
  EXPECT_EQ(run("trace-view --launch 0 --format root-text " + file()).text, outcome.text);  // its former name
}

TEST_F(Tools, RefuseWrongOptionsWithStatus2) {
  const auto expect = [](const std::string& arguments, const std::string& message) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.text, HasSubstr(message)) << arguments;
  };
  expect("trace-view", "no capture given");
  expect("trace-check", "no capture given");
  expect("trace-view --nonsense " + file(), "unrecognised option '--nonsense'");
  expect("trace-view " + file("none"), "No such file or directory");
  expect("trace-view --launch 2 " + file(), "--launch 2: no such launch, the capture holds 2 (numbers 0-1)");
  expect("trace-view --launch x " + file(), "--launch");
  expect("trace-view --work-item 0:0 " + file(), "has 2 launches, expected one: choose it with --launch");
  expect("trace-view --launch 0 --work-item 0 " + file(), "--work-item is '0', expected GROUP:ITEM");
  expect("trace-view --launch 0 --work-item 0:8 " + file(),
         "work-item 8 does not exist, expected less than 8");
  expect("trace-view --launch 0 --work-item 9:0 " + file(), "does not hold work-group 9");
  expect("trace-view --format xml " + file(), "--format is 'xml', expected table or crawford");
  expect("trace-view --launch 0 --format crawford -o " + file("none/x") + " " + file(), "cannot write");
}

TEST_F(Tools, ReportAFullStandardOutputAndIgnoreAClosedOne) {
  EXPECT_EQ(run("trace-view " + file() + " > /dev/full").status, 2);
  EXPECT_EQ(run("trace-check " + file() + " > /dev/full").status, 2);
  const Outcome piped = run("trace-view --cfg " + file() + " | head -n 1; exit ${PIPESTATUS:-0}");
  EXPECT_THAT(piped.text, ::testing::Not(HasSubstr("trace-view:")));
}

}  // namespace
}  // namespace warpscope
