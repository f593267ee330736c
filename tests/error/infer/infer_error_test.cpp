// `cachesim infer` as a program: what it writes and reads back, and one line and exit status 2 for bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class InferProgram : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("infer_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] std::string bytes_of(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] int run(const std::string& arguments) const {
    const std::string command = "cd " + folder_.string() + " && " WARPSCOPE_BIN_DIR "/cachesim infer " +
                                arguments + " >output 2>errors";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void expect_refused(const std::string& arguments, const testing::Matcher<std::string>& message) const {
    EXPECT_EQ(run(arguments), 2) << arguments;
    const std::string errors = bytes_of("errors");
    EXPECT_THAT(errors, AllOf(StartsWith("cachesim: "), message)) << arguments;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "result")) << arguments;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "result.part")) << arguments;
  }
  void expect_rows_refused(const std::string& rows, const testing::Matcher<std::string>& message) const {
    write("bad.csv", rows);
    expect_refused("bad.csv --json result", message);
  }

  std::filesystem::path folder_;
};

TEST_F(InferProgram, ReadsBackWhatItMeasured) {
  ASSERT_EQ(run("--simulate --preset gtx480 --csv rows.csv --json simulated.json"), 0) << bytes_of("errors");
  ASSERT_EQ(run("rows.csv --json read.json"), 0) << bytes_of("errors");
  const auto simulated = nlohmann::json::parse(bytes_of("simulated.json"));
  const auto read = nlohmann::json::parse(bytes_of("read.json"));
  EXPECT_EQ(read.at("schema"), 1);
  EXPECT_EQ(read.at("rows"), simulated.at("rows"));
  for (const auto& [name, property] : simulated.at("properties").items()) {
    EXPECT_EQ(property.at("status"), "found") << name;
    EXPECT_EQ(read.at("properties").at(name).at("value"), property.at("value")) << name;
  }
  EXPECT_THAT(bytes_of("output"),
              AllOf(HasSubstr("capacity, bytes: 16384 (16 KiB)"), HasSubstr("since    line ")));
  ASSERT_EQ(run("--simulate --preset gtx480 --csv -"), 0);
  EXPECT_EQ(bytes_of("output"), bytes_of("rows.csv"));
}

TEST_F(InferProgram, ThePlanIsAFileToFillIn) {
  ASSERT_EQ(run("--plan plan.csv"), 0) << bytes_of("errors");
  EXPECT_THAT(bytes_of("plan.csv"), HasSubstr("\nchase,all,4,256,8,0,,,,,\n"));
  expect_refused("plan.csv", HasSubstr("plan.csv: no row with a result"));
  // One row is filled in: it tells one thing, and what to measure next.
  write("one.csv", "pattern,step,places,rounds,loads,load_hits\nchase,4,256,8,2048,2040\n");
  ASSERT_EQ(run("one.csv --next next.csv"), 0) << bytes_of("errors");
  EXPECT_THAT(bytes_of("output"),
              AllOf(HasSubstr("global loads are cached: yes"),
                    HasSubstr("capacity, bytes: cannot be told from this file: at least 1024\n")));
  EXPECT_THAT(bytes_of("next.csv"),
              AllOf(HasSubstr("\nchase,all,32,32,8,0,,"), HasSubstr("\nstore-load,all,128,32,")));
}

TEST_F(InferProgram, RefusesBadFiles) {
  expect_refused("missing.csv", HasSubstr("missing.csv: cannot be read"));
  expect_rows_refused("", HasSubstr("bad.csv: no row with a result"));
  const std::string head = "pattern,step,places,rounds,loads,load_misses\n";
  expect_rows_refused(head, HasSubstr("no row with a result"));
  expect_rows_refused("pattern,step,rounds\n", HasSubstr("bad.csv:1: no column 'places'"));
  expect_rows_refused("pattern,step,places,speed\n", HasSubstr("column 'speed' is not known"));
  expect_rows_refused(head + "walk,4,256,8,2048,8\n", HasSubstr("bad.csv:2: pattern 'walk'"));
  expect_rows_refused(head + "chase,4,256,8,2048\n", HasSubstr("bad.csv:2: 5 columns, expected 6"));
  expect_rows_refused(head + "chase,0,256,8,2048,8\n", HasSubstr("step '0'"));
  expect_rows_refused(head + "chase,4,,8,2048,8\n", HasSubstr("places missing"));
  expect_rows_refused(head + "chase,4,268435456,1000,1,1\n", HasSubstr("more than 268435456 loads"));
  expect_rows_refused(head + "chase,4,256,8,2048,many\n", HasSubstr("load_misses 'many', expected a number"));
  expect_rows_refused(head + "chase,4,256,8,2048,3000\n", HasSubstr("3000 of 2048 loads miss"));
  expect_rows_refused(head + "chase,4,256,8,,8\n", HasSubstr("without loads"));
  expect_rows_refused(head + "chase,4,256,8,65536,8\n",
                      HasSubstr("65536 loads, but 256 places 4 bytes apart"));
  expect_rows_refused(head + "chase,4,256,8,2048,8\nchase,4,256,8,2048,2048\n",
                      HasSubstr("bad.csv:3: contradicts line 2: 256 places 4 bytes apart twice"));
  expect_rows_refused("pattern,step,places,loads,load_misses,load_hits\nchase,4,256,256,8,8\n",
                      HasSubstr("load_hits and load_misses together"));
  expect_rows_refused("pattern,step,places,miss_percent\nchase,32,512,100\nchase,32,2048,0\n",
                      HasSubstr("contradictory rows: line 2"));
  expect_rows_refused("# warpscope hardware counters, format 9\n", HasSubstr("bad.csv:1:"));
  expect_rows_refused("# warpscope hardware counters, format 1\nlaunch,input\n",
                      HasSubstr("bad.csv:2: 2 columns"));
}

TEST_F(InferProgram, RefusesBadOptions) {
  write("good.csv", "pattern,step,places,rounds,loads,load_misses\nchase,4,256,8,2048,8\n");
  expect_refused("", HasSubstr("expected one of: a file of observations, --simulate, --plan"));
  expect_refused("good.csv --plan result", HasSubstr("expected one of"));
  expect_refused("--simulate --json result", HasSubstr("expected --preset NAME"));
  expect_refused("--simulate --preset gtx4800 --json result", HasSubstr("gtx4800"));
  expect_refused("--simulate --preset v100 --set l1_ways=7 --set l1_sets=0 --json result",
                 HasSubstr("l1_sets"));
  expect_refused("good.csv --preset v100", HasSubstr("--preset: only with --simulate"));
  expect_refused("good.csv --noise 3", HasSubstr("--noise: only with --simulate"));
  expect_refused("good.csv --seed 3", HasSubstr("--seed: only with --simulate"));
  expect_refused("good.csv --csv result", HasSubstr("--csv: only with --simulate"));
  expect_refused("good.csv --timings", HasSubstr("--timings: only with --simulate"));
  expect_refused("good.csv --tolerance x --json result",
                 HasSubstr("--tolerance: 'x', expected a number from 0 to 500"));
  expect_refused("--simulate --preset v100 --noise 501 --json result", HasSubstr("--noise: '501'"));
  expect_refused("--simulate --preset v100 --seed -1 --json result", HasSubstr("--seed: '-1'"));
  expect_refused("--plan result --json other", HasSubstr("expected no other output"));
  expect_refused("good.csv --json - --next -", HasSubstr("two outputs to standard output"));
  expect_refused("good.csv --json no/such/folder/result", HasSubstr("cannot write"));
  expect_refused("good.csv --magic", HasSubstr("magic"));
}

// A CSV of hw-profile: the probe's launches name their pattern; counters are of the whole launch.
TEST_F(InferProgram, ReadsHardwareCounters) {
  write("gpu.csv",
        "# warpscope hardware counters, format 1\n# gpu: by hand\n"
        "launch,input,global,local,counter,repeats,median,lowest,highest\n"
        "copy/copy.launch:small,0,32x1x1,32x1x1,load.hits,3,0,0,0\n"
        "\"probe/probe.launch:medium:STEP=1,PLACES=256,ROUNDS=8\",0,1x1x1,1x1x1,load.hits,3,2016,2016,2016\n"
        "\"probe/probe.launch:medium:STEP=1,PLACES=256,ROUNDS=8\",0,1x1x1,1x1x1,load.misses,3,32,32,32\n"
        "store_store/store_store.launch:small,0,512x1x1,128x1x1,store.hits,3,64,64,64\n"
        "store_store/store_store.launch:small,0,512x1x1,128x1x1,store.misses,3,64,64,64\n"
        "store_load/store_load.launch:small,0,512x1x1,128x1x1,load.hits,3,64,64,64\n"
        "store_load/store_load.launch:small,0,512x1x1,128x1x1,load.misses,3,64,64,64\n");
  ASSERT_EQ(run("gpu.csv --json result.json"), 0) << bytes_of("errors");
  const auto json = nlohmann::json::parse(bytes_of("result.json"));
  EXPECT_EQ(json.at("rows"), 3);
  EXPECT_EQ(json.at("properties").at("caches_global_loads").at("value"), true);
  // store-load is not there; that the second stores hit says that the first allocated.
  EXPECT_EQ(json.at("properties").at("store_allocation").at("value"), "allocate");
}

TEST_F(InferProgram, HelpNamesTheInputs) {
  ASSERT_EQ(run("--help"), 0);
  EXPECT_THAT(bytes_of("output"), AllOf(HasSubstr("--simulate"), HasSubstr("--plan"), HasSubstr("--next"),
                                        HasSubstr("docs/infer.md")));
  ASSERT_EQ(run("--list-presets"), 0);
  EXPECT_THAT(bytes_of("output"), HasSubstr("gtx480"));
}

}  // namespace
}  // namespace warpscope
