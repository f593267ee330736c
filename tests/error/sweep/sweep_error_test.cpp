// `cachesim sweep` as a program: what it writes, and one line and exit status 2 for bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program_test.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SweepProgram : public test::CachesimProgram {
 protected:
  SweepProgram() : CachesimProgram("sweep") {}

  void SetUp() override {
    CachesimProgram::SetUp();
    std::ostringstream text;
    text << "4 2\n";
    for (int i = 0; i < 400; ++i)
      text << "0x" << std::hex << 0x1000 + i % 100 * 128 << std::dec << " R " << i / 200 << " 0 1\n";
    write("good.txt", text.str());
  }
};

// 100 lines in turn, four times: 100 cold misses; LRU keeps them all or (in turn, one set) none.
TEST_F(SweepProgram, WritesTableAndJson) {
  ASSERT_EQ(run("good.txt --sets 1 --ways 64,96-104:8,128 --csv table --json result.json"), 0)
      << bytes_of("errors");
  EXPECT_THAT(bytes_of("table"), AllOf(HasSubstr("\n8,128,128,64,1,linear,LRU,WTNA,0,0,400,100.000000,"),
                                       HasSubstr("\n12,128,128,96,1,linear,LRU,WTNA,0,0,400,100.000000,"),
                                       HasSubstr("\n13,128,128,104,1,linear,LRU,WTNA,300,0,100,25.000000,")));
  const auto json = nlohmann::json::parse(bytes_of("result.json"));
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("kind"), "sweep");
  EXPECT_EQ(json.at("cells").size(), 4u);
  EXPECT_EQ(json.at("best"), nlohmann::json({0, 2}));
  EXPECT_EQ(json.at("curves").at(0).at("knees"), nlohmann::json({2}));
  EXPECT_EQ(json.at("method").at("one_pass_lists"), 1);
  EXPECT_EQ(json.at("traffic").at(0).at("load").at("transactions"), 400);
  EXPECT_THAT(bytes_of("output"), HasSubstr("4 caches, 4 of them LRU from 1 list;"));
}

TEST_F(SweepProgram, GivesTheSameBytesForAnyThreads) {
  const std::string caches = "good.txt --size 1-16 --ways 1-8 --replacement LRU,Rand,FIFO --write WTNA,WENA ";
  ASSERT_EQ(run(caches + "--threads 1 --json a --csv b"), 0) << bytes_of("errors");
  ASSERT_EQ(run(caches + "--threads 4 --json c --csv d"), 0);
  EXPECT_EQ(bytes_of("a"), bytes_of("c"));
  EXPECT_EQ(bytes_of("b"), bytes_of("d"));
  ASSERT_EQ(run("- " + caches.substr(9) + "--csv e", "cat good.txt | "), 0);
  EXPECT_EQ(bytes_of("b"), bytes_of("e"));
}

TEST_F(SweepProgram, ThePresetsOwnPointIsThereAndMarked) {
  ASSERT_EQ(run("good.txt --preset gtx480 --size 48 --ways 6 --json result.json"), 0) << bytes_of("errors");
  const auto json = nlohmann::json::parse(bytes_of("result.json"));
  ASSERT_EQ(json.at("preset_cell"), 1);
  EXPECT_EQ(json.at("cells").at(1).at("size_kib"), 16);
  EXPECT_EQ(json.at("cells").at(1).at("set_index"), "fermi-xor");
  EXPECT_EQ(json.at("cells").at(0).at("write_policy"), "WENA");
  EXPECT_THAT(bytes_of("output"), HasSubstr("<- gtx480"));
}

TEST_F(SweepProgram, RefusesBadOptions) {
  const std::string out = " --csv result ";
  expect_refused("", HasSubstr("no input given"));
  expect_refused("good.txt" + out, HasSubstr("two of --size, --ways and --sets"));
  expect_refused("good.txt --ways x --sets 4" + out, HasSubstr("--ways: 'x', expected numbers and ranges"));
  expect_refused("good.txt --ways 4 --sets 32 --line 100" + out, HasSubstr("powers of two"));
  expect_refused("good.txt --ways 4 --sets 32 --index magic" + out, HasSubstr("expected one of linear"));
  expect_refused("good.txt --ways 4 --sets 32 --replacement LRU,lru" + out, HasSubstr("expected one of LRU"));
  expect_refused("good.txt --ways 4 --sets 32 --write X" + out, HasSubstr("expected one of WTNA"));
  expect_refused("good.txt --ways 4 --sets 128 --index fermi-xor" + out,
                 HasSubstr("defined for 32 or 64 sets"));
  expect_refused("good.txt --ways 4 --sets 32 --threads 0" + out, HasSubstr("--threads: '0'"));
  expect_refused("good.txt --ways 1-1000 --sets 1-1000" + out, HasSubstr("expected fewer"));
  expect_refused("good.txt --ways 1-128 --size 524288 --replacement FIFO,LFU,MFU,Rand" + out,
                 HasSubstr("MiB, expected at most"));
  expect_refused("good.txt --ways 4 --sets 32 --json - --csv -",
                 HasSubstr("expected a file for one of them"));
  expect_refused("good.txt --ways 4 --sets 32 --cores 2" + out, HasSubstr("--cores"));
  expect_refused("good.txt --ways 4 --sets 32 --policy warp" + out, HasSubstr("--policy"));
  expect_refused("missing.txt --ways 4 --sets 32" + out, HasSubstr("missing.txt"));
  expect_refused("good.txt --ways 4 --sets 32 --csv no/such/folder/result", HasSubstr("cannot write"));
  expect_refused("output --ways 4 --sets 32" + out, HasSubstr("is empty"));
}

TEST_F(SweepProgram, AnInterruptedRunLeavesNoFile) {
  // The input never ends: the signal comes while the sweep works.
  const std::string command = "cd " + folder().string() +
                              " && mkfifo pipe && (yes '0x1000 R 0 0 1' | (echo 4 2; cat) > pipe & ) ; " +
                              WARPSCOPE_BIN_DIR
                              "/cachesim sweep - --ways 4 --sets 32 --csv result < pipe 2>errors & "
                              "sweep=\\$!; sleep 0.5; kill -TERM \\$sweep; wait \\$sweep";
  const int status = std::system(("bash -c \"" + command + "\"").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM) << bytes_of("errors");
  EXPECT_FALSE(std::filesystem::exists(file("result")));
  EXPECT_FALSE(std::filesystem::exists(file("result.part")));
}

TEST_F(SweepProgram, HelpNamesEveryPolicy) {
  ASSERT_EQ(run("--help-all"), 0);
  EXPECT_THAT(bytes_of("output"), AllOf(HasSubstr("LRU"), HasSubstr("tree-PLRU"), HasSubstr("fermi-xor"),
                                        HasSubstr("WENA"), HasSubstr("--threads")));
}

}  // namespace
}  // namespace warpscope
