// `cachesim infer` as a program: what it writes and reads back, and one line and exit status 2 for bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program_test.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class InferProgram : public test::CachesimProgram {
 protected:
  InferProgram() : CachesimProgram("infer") {}

  void expect_rows_refused(const std::string& rows, const testing::Matcher<std::string>& message) const {
    write("bad.csv", rows);
    expect_refused("bad.csv --json result", message);
  }
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
  // One row is filled in: one thing follows from it, and what to measure next.
  write("one.csv", "pattern,step,places,rounds,loads,load_hits\nchase,4,256,8,2048,2040\n");
  ASSERT_EQ(run("one.csv --next next.csv"), 0) << bytes_of("errors");
  EXPECT_THAT(bytes_of("output"),
              AllOf(HasSubstr("global loads are cached: yes"),
                    HasSubstr("capacity, bytes: does not follow from this file: at least 1024\n")));
  EXPECT_THAT(bytes_of("next.csv"),
              AllOf(HasSubstr("\nchase,all,32,32,8,0,,"), HasSubstr("\nstore-load,all,128,32,")));
}

TEST_F(InferProgram, RefusesBadFiles) {
  expect_rows_refused("", HasSubstr("bad.csv: no row with a result"));
  const std::string head = "pattern,step,places,rounds,loads,load_misses\n";
  expect_rows_refused(head, HasSubstr("no row with a result"));
  expect_rows_refused("pattern,step,rounds\n", HasSubstr("bad.csv:1: no column 'places'"));
  expect_rows_refused(
      "pattern,step,places,speed\n",
      HasSubstr("bad.csv:1: unknown column 'speed', expected only columns named pattern, mask"));
  expect_rows_refused(head + "walk,4,256,8,2048,8\n",
                      HasSubstr("bad.csv:2: column pattern: 'walk', expected chase, store-load"));
  expect_rows_refused(head + "chase,4,256,8,2048\n",
                      HasSubstr("bad.csv:2: 5 columns, expected 6 as in the header"));
  expect_rows_refused(head + "chase,0,256,8,2048,8\n",
                      HasSubstr("bad.csv:2: column step: '0', expected a whole number from 1 to 4194304"));
  expect_rows_refused(head + "chase,4,,8,2048,8\n",
                      HasSubstr("bad.csv:2: column places: empty or 0, expected how many"));
  expect_rows_refused(
      head + "chase,4,268435456,1000,1,1\n",
      HasSubstr("268435456 loads per round in 1000 rounds, expected at most 268435456 loads"));
  expect_rows_refused(head + "chase,4,256,8,2048,many\n",
                      HasSubstr("column load_misses: 'many', expected a number, 0 or more"));
  expect_rows_refused(
      head + "chase,4,256,8,2048,3000\n",
      HasSubstr("column load_misses: 3000, expected a number from 0 to 2048, the number of loads"));
  expect_rows_refused(head + "chase,4,256,8,,8\n", HasSubstr("bad.csv:2: column loads is missing or empty"));
  expect_rows_refused(head + "chase,4,256,8,0,0\n",
                      HasSubstr("bad.csv:2: column loads: 0, expected at least 1"));
  expect_rows_refused("pattern,step,places,loads,load_hits\nchase,4,256,256,300\n",
                      HasSubstr("column load_hits: 300, expected a number from 0 to 256"));
  expect_rows_refused(
      head + "chase,4,256,8,65536,8\n",
      HasSubstr("column loads: 65536, expected about 2048 (256 places 4 bytes apart, rounds: 8)"));
  expect_rows_refused(
      head + "chase,4,256,8,2048,8\nchase,4,256,8,2048,2048\n",
      HasSubstr(
          "bad.csv:3: contradicts line 2: the results for 256 places 4 bytes apart differ by more than 5 %"));
  expect_rows_refused("pattern,step,places,loads,load_misses,load_hits\nchase,4,256,256,8,8\n",
                      HasSubstr("load_hits and load_misses add up to 16, expected 256, the number of loads"));
  expect_rows_refused("pattern,step,places,miss_percent\nchase,32,512,100\nchase,32,2048,0\n",
                      HasSubstr("bad.csv: contradictory rows: line 2"));
  expect_rows_refused(
      "# warpscope hardware counters, format 9\n",
      HasSubstr("bad.csv:1: unknown format '# warpscope hardware counters, format 9', expected"));
  expect_rows_refused("# warpscope hardware counters, format 1\nlaunch,input\n",
                      HasSubstr("bad.csv:2: 2 columns, expected the 9 that"));
  expect_rows_refused("# warpscope hardware counters, format 1\na,0,1,1,load.hits,1,many,1,1\n",
                      HasSubstr("bad.csv:2: column median: 'many', expected a number"));
}

TEST_F(InferProgram, RefusesWhatIsNoTable) {
  std::filesystem::create_directories(file("folder"));
  expect_refused("folder --json result", HasSubstr("folder: cannot read: Is a directory"));
  expect_refused("missing.csv --json result", HasSubstr("missing.csv: cannot read: No such file"));
  write("capture", std::string("WSCAPTUR\0\1\2", 11));
  expect_refused("capture --json result",
                 HasSubstr("capture: not a text file, expected a table of observations"));
}

TEST_F(InferProgram, RefusesBadOptions) {
  write("good.csv", "pattern,step,places,rounds,loads,load_misses\nchase,4,256,8,2048,8\n");
  const std::pair<const char*, const char*> refused[] = {
      {"", "no input, expected exactly one of: a file of observations, --simulate, --plan"},
      {"good.csv --plan result", "more than one input, expected exactly one of"},
      {"--simulate --json result", "expected --gpu NAME"},
      {"--simulate --preset gtx4800 --json result", "gtx4800"},
      {"--simulate --preset v100 --set l1_ways=7 --set l1_sets=0 --json result", "l1_sets"},
      {"good.csv --preset v100", "--preset: has no effect here, expected --simulate as well"},
      {"good.csv --noise 3", "--noise: has no effect here, expected --simulate as well"},
      {"good.csv --seed 3", "--seed: has no effect here, expected --simulate as well"},
      {"good.csv --csv result", "--csv: has no effect here, expected --simulate as well"},
      {"good.csv --timings", "--timings: has no effect here, expected --simulate as well"},
      {"good.csv --tolerance x --json result", "--tolerance: 'x', expected a number from 0 to 500"},
      {"--simulate --preset v100 --noise 501 --json result", "--noise: '501'"},
      {"--simulate --preset v100 --seed -1 --json result", "--seed: '-1'"},
      {"--plan result --json other", "--json: nothing to write, --plan only lists what to measure"},
      {"good.csv --json - --next -",
       "--next: another output goes to standard output already, expected a file"},
      {"good.csv --json no/such/folder/result", "cannot write"},
      {"good.csv --magic", "magic"}};
  for (const auto& [options, message] : refused) expect_refused(options, HasSubstr(message));
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
                                        HasSubstr("docs/tools/infer.md")));
  ASSERT_EQ(run("--list-presets"), 0);
  EXPECT_THAT(bytes_of("output"), HasSubstr("gtx480"));
}

}  // namespace
}  // namespace warpscope
